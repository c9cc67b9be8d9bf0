(() => {
  // Runs inside a page: finds elements as Playwright's locators do, through open shadow roots, and judges them.

  const parentOf = (element) => element.parentElement ??
    (element.parentNode instanceof ShadowRoot ? element.parentNode.host : null);

  function everything(root, list = []) {
    for (const element of root.querySelectorAll("*")) {
      list.push(element);
      if (element.shadowRoot) everything(element.shadowRoot, list);
    }
    return list;
  }

  /** Cuts at characters outside brackets, parentheses and quotes. */
  function cut(text, at) {
    const parts = [];
    let part = "", depth = 0, quote = "";
    for (const char of text) {
      if (quote) {
        if (char === quote) quote = "";
      } else if (char === '"' || char === "'") quote = char;
      else if (char === "[" || char === "(") depth++;
      else if (char === "]" || char === ")") depth--;
      else if (depth === 0 && at.includes(char)) {
        parts.push(part, char);
        part = "";
        continue;
      }
      part += char;
    }
    parts.push(part);
    return parts;
  }

  /** A selector without commas as compounds with the combinator before each. */
  function compounds(selector) {
    const list = [];
    let combinator = " ";
    for (const part of cut(selector.trim(), " >+~")) {
      if (part === "" || part === " ") continue;
      if (part === ">" || part === "+" || part === "~") combinator = part;
      else {
        list.push({ combinator, shown: part.includes(":visible"), css: part.replace(":visible", "") || "*" });
        combinator = " ";
      }
    }
    return list;
  }

  function matches(element, list, last = list.length - 1) {
    const { css, shown, combinator } = list[last];
    if (!element.matches(css) || (shown && !visible(element))) return false;
    if (last === 0) return true;
    if (combinator === ">") {
      const parent = parentOf(element);
      return parent !== null && matches(parent, list, last - 1);
    }
    if (combinator === "+") {
      return element.previousElementSibling !== null && matches(element.previousElementSibling, list, last - 1);
    }
    if (combinator === "~") {
      for (let other = element.previousElementSibling; other; other = other.previousElementSibling) {
        if (matches(other, list, last - 1)) return true;
      }
      return false;
    }
    for (let parent = parentOf(element); parent; parent = parentOf(parent)) {
      if (matches(parent, list, last - 1)) return true;
    }
    return false;
  }

  function visible(element) {
    if (!element.isConnected) return false;
    const style = getComputedStyle(element);
    if (style.display === "contents") {
      return [...element.childNodes].some(
        (node) => (node instanceof Element ? visible(node) : node.textContent.trim() !== ""));
    }
    if (style.visibility !== "visible") return false;
    if (element.checkVisibility && !element.checkVisibility()) return false;
    const { width, height } = element.getBoundingClientRect();
    return width > 0 && height > 0;
  }

  const TEXT_INPUTS = ["", "text", "email", "url", "tel", "search", "password"];

  function roleOf(element) {
    const said = element.getAttribute("role");
    if (said) return said.trim().split(/\s+/)[0];
    const tag = element.localName;
    if (tag === "input") {
      const type = element.type;
      if (type === "checkbox" || type === "radio") return type;
      if (type === "number") return "spinbutton";
      if (["button", "submit", "reset", "image"].includes(type)) return "button";
      return TEXT_INPUTS.includes(type) ? (element.list ? "combobox" : type === "search" ? "searchbox" : "textbox")
        : "";
    }
    if (tag === "a") return element.href ? "link" : "generic";
    if (/^h[1-6]$/.test(tag)) return "heading";
    return { button: "button", textarea: "textbox", select: "combobox", option: "option", img: "img", ul: "list",
      ol: "list", li: "listitem", table: "table", nav: "navigation", main: "main", dialog: "dialog",
      form: "form" }[tag] ?? "";
  }

  function textOf(element) {
    let text = "";
    for (const node of element.shadowRoot?.childNodes ?? element.childNodes) {
      if (node.nodeType === 3) text += node.data;
      else if (node instanceof Element && node.ariaHidden !== "true" &&
        getComputedStyle(
        node).display !== "none") text += ` ${node.getAttribute("aria-label") ?? node.alt ?? textOf(node)} `;
    }
    return text;
  }

  /** All text, through shadow roots, as it stands. */
  function plain(element) {
    let text = "";
    for (const node of element.shadowRoot?.childNodes ?? element.childNodes) {
      text += node.nodeType === 3 ? node.data : node instanceof Element && !["STYLE", "SCRIPT"].includes(node.tagName)
        ? plain(node) : "";
    }
    return text;
  }

  function nameOf(element) {
    const clean = (text) => text.replace(/\s+/g, " ").trim();
    const root = element.getRootNode();
    const by = (element.getAttribute("aria-labelledby") ?? "").split(/\s+/).map((id) => id && root.getElementById(id))
      .filter(Boolean);
    if (by.length) return clean(by.map((other) => other.getAttribute("aria-label") ?? textOf(other)).join(" "));
    if (element.getAttribute("aria-label")) return clean(element.getAttribute("aria-label"));
    if (element.labels?.length) {
      return clean([...element.labels].map((label) =>
        [...label.childNodes].map((node) => (node === element || node.contains?.(element) ? "" : node.nodeType === 3
        ? node.data : node instanceof Element ? textOf(node) : "")).join(" ")).join(" "));
    }
    if (element.alt) return clean(element.alt);
    if (["button", "link", "option", "heading", "tab", "checkbox", "radio", "menuitem"].includes(roleOf(element))) {
      const text = clean(element.value && element.localName === "input" ? element.value : textOf(element));
      if (text) return text;
    }
    return clean(element.title || element.placeholder || "");
  }

  function fits(text, { source, flags, text: want, exact }) {
    if (source !== undefined) return new RegExp(source, flags).test(text);
    return exact ? text === want : text.toLowerCase().includes(want.toLowerCase());
  }

  function step(elements, how, all) {
    const within = (element) => elements === null || elements.some((root) => {
      for (let parent = parentOf(element); parent; parent = parentOf(parent)) if (parent === root) return true;
      return false;
    });
    if (how.css !== undefined) {
      const lists = cut(how.css, ",").filter((part) => part !== ",").map(compounds);
      return all().filter((element) => within(element) && lists.some((list) => matches(element, list)));
    }
    if (how.role !== undefined) {
      return all().filter((element) => within(element) && roleOf(element) === how.role &&
        (how.name === undefined || fits(nameOf(element), how.name)) && visible(element));
    }
    if (how.label !== undefined) {
      return all().filter((element) => within(element) &&
        (element.labels !== undefined || element.hasAttribute("aria-label")) && element.localName !== "button" &&
        fits(nameOf(element), how.label));
    }
    if (how.words !== undefined) {
      const said = (element) => !["STYLE", "SCRIPT", "HEAD"].includes(element.tagName) &&
        fits(plain(element).replace(/\s+/g, " ").trim(), how.words);
      const fitting = all().filter((element) => within(element) && said(element));
      const around = new Set(fitting.map(parentOf));
      return fitting.filter((element) => !around.has(element)); // the innermost
    }
    if (how.hasText !== undefined) {
      return elements.filter((element) => fits(plain(element).replace(/\s+/g, " "), how.hasText));
    }
    const one = elements.at(how.nth);
    return one === undefined ? [] : [one];
  }

  /** Where an element stood when it was last asked for, to see whether it stands still. */
  const places = new WeakMap();

  return {
    visible,
    all(steps) {
      let whole;
      const all = () => (whole ??= everything(document));
      let elements = null;
      for (const how of steps) elements = step(elements, how, all);
      return elements;
    },
    /** The middle, or undefined as long as it cannot be clicked. */
    point(element) {
      if (!visible(element) || element.disabled) return undefined;
      const box = element.getBoundingClientRect();
      if (box.top < 0 || box.left < 0 || box.bottom > innerHeight || box.right > innerWidth) {
        element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
      }
      const { x, y, width, height } = element.getBoundingClientRect();
      const before = places.get(element);
      places.set(element, `${x} ${y} ${width} ${height}`);
      if (before !== places.get(element)) return undefined;
      const point = {
        x: Math.min(Math.max(x + width / 2, 0), innerWidth - 1),
        y: Math.min(Math.max(y + height / 2, 0), innerHeight - 1),
      };
      let hit = document.elementFromPoint(point.x, point.y);
      while (hit?.shadowRoot && hit !== element) {
        const inner = hit.shadowRoot.elementFromPoint(point.x, point.y);
        if (!inner || inner === hit) break;
        hit = inner;
      }
      for (let part = hit; part; part = parentOf(part)) if (part === element || part.control === element) return point;
      // Something lies over it: it may be scrolled out of sight inside a box.
      element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
      return undefined;
    },
    fill(element, text) {
      element.focus();
      if (!("value" in element)) {
        getSelection().selectAllChildren(element);
        document.execCommand("insertText", false, text);
        return;
      }
      const prototype = Object.getPrototypeOf(element);
      Object.getOwnPropertyDescriptor(prototype, "value").set.call(element, text);
      element.dispatchEvent(new InputEvent("input", {
        bubbles: true, composed: true, inputType: "insertText", data: text,
      }));
      if (element.localName === "input" && !TEXT_INPUTS.includes(element.type)) {
        element.dispatchEvent(new Event("change", { bubbles: true }));
      }
    },
    select(element, { label, value }) {
      const option = [...element.options].find(
        (each) => (label !== undefined ? each.label === label : each.value === value));
      if (!option) throw new Error(`there is no option ${label ?? value}`);
      element.focus();
      element.selectedIndex = option.index;
      element.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
      element.dispatchEvent(new Event("change", { bubbles: true }));
    },
    give(element, files) {
      const data = new DataTransfer();
      for (const { name, mimeType, base64 } of files) {
        data.items.add(new File([Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))], name,
          { type: mimeType }));
      }
      element.files = data.files;
      element.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
      element.dispatchEvent(new Event("change", { bubbles: true }));
    },
  };
})()
