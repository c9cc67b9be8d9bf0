declare module "*.css";
declare module "alpinejs";
declare module "vue/dist/vue.esm-browser.prod.js" {
  export * from "vue";
}
