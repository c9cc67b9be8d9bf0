// In a page of one's own this is one script tag more: <script src="https://.../htmx.org"></script>
import "htmx.org";
