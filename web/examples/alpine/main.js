import Alpine from "alpinejs";

// In a page of one's own this is one script tag more: <script defer src="https://.../alpinejs"></script>
Object.assign(globalThis, { Alpine });
Alpine.start();
