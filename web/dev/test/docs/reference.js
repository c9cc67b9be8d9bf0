// Makes the reference of web/docs/api.md from agui.d.ts: every export with its comment, every member with its type and
// comment. It reads the file by its lines, so agui.d.ts keeps to one form: two spaces, one member a line or more, each
// closed by a semicolon.

/**
 * @typedef {object} Member
 * @property {string} name
 * @property {string} type what stands after the name
 * @property {string} doc
 *
 * @typedef {object} Entry
 * @property {string} [section]
 * @property {boolean} exported
 * @property {string} kind const, function, class, interface or type
 * @property {string} name
 * @property {string} rest what stands after the name: type parameters, what it extends
 * @property {string} doc
 * @property {string} body of what has no members, as it stands
 * @property {Member[]} members
 */

const DECLARATION = /^(export )?(?:declare )?(?:abstract )?(const|function|class|interface|type) (\w+)(.*)$/;
const MEMBER =
  /^  (?:(?:readonly|protected|abstract|static|get|set) )*(?:"([^"]+)"|\[(Symbol\.\w+)\]|([A-Za-z_$][\w$]*))(?=[?(:<])(.*)$/;

/** How many brackets a text leaves open. */
const open = (/** @type {string} */ text) => (text.match(/[{([]/g)?.length ?? 0) - (text.match(/[})\]]/g)?.length ?? 0);

/**
 * @param {string} source of agui.d.ts
 * @returns {Entry[]}
 */
export function declarations(source) {
  const lines = source.slice(0, source.indexOf("\ndeclare global")).split("\n");
  /** @type {any[]} */
  const entries = [];
  /** @type {any} */
  let current = null;
  /** @type {string[]} */
  let doc = [];
  let i = 0;
  const comment = () => {
    const text = doc.join(" ").replace(/\{@link (\w+)\}/g, "`$1`").replace(/\s+/g, " ").trim();
    doc = [];
    return text;
  };
  /** The statement that begins here, up to its semicolon. */
  const statement = () => {
    let text = lines[i];
    while (!/;\s*$/.test(text) || open(text) > 0) text += `\n${lines[++i]}`;
    return text;
  };
  for (; i < lines.length; i++) {
    const line = lines[i];
    const section = /^\/\/ -+ (.*)$/.exec(line);
    if (section) {
      entries.push({ section: section[1] });
    } else if (/^\s*\/\*\*/.test(line)) {
      let raw = line;
      while (!/\*\/\s*$/.test(raw)) raw += `\n${lines[++i]}`;
      doc = raw.replace(/^\s*\/\*\*/, "").replace(/\*\/\s*$/, "").split("\n")
        .map((each) => each.replace(/^\s*\* ?/, ""));
    } else if (/^}/.test(line)) {
      current = null;
    } else if (current) {
      const member = MEMBER.exec(line);
      if (member) {
        const name = member[1] ?? member[2] ?? member[3];
        const type = statement().replace(/\/\*\*.*?\*\//g, "").replace(/\s+/g, " ").replace(/;\s*$/, "").trim();
        const words = comment();
        // A getter and its setter are one field.
        if (/^set /.test(type) && current.members.some((/** @type {Member} */ m) => m.name === name)) continue;
        current.members.push({
          name, type: type.replace(/^(readonly|protected|abstract|get) /, "")
            .replace(/\(\): /, /^get /.test(type) ? ": " : "(): "), doc: words,
        });
      } else {
        doc = [];
      }
    } else {
      let head = line;
      // What an interface or a class extends may go on in the next line.
      if (/^(export )?(abstract )?(interface|class) /.test(line)) {
        while (!/\{\s*$/.test(head)) head += ` ${lines[++i].trim()}`;
      }
      const found = DECLARATION.exec(head);
      if (!found) continue;
      const entry = {
        exported: Boolean(found[1]), kind: found[2], name: found[3], rest: found[4], doc: comment(), body: line,
        members: [],
      };
      entries.push(entry);
      if (/\{\s*$/.test(head) && entry.kind !== "type" && entry.kind !== "function") current = entry;
      else entry.body = statement();
    }
  }
  return entries;
}

const cell = (/** @type {string} */ text) => text.replace(/\|/g, "\\|");

/**
 * @param {string} source of agui.d.ts
 * @returns {string} Markdown
 */
export function reference(source) {
  const entries = declarations(source);
  /** @type {string[]} */
  const out = [];
  /** @type {string[]} */
  let events = [];
  const endEvents = () => {
    if (events.length > 0) out.push(["| type | interface | fields |", "|---|---|---|", ...events].join("\n"));
    events = [];
  };
  for (const [at, entry] of entries.entries()) {
    if (entry.section) {
      endEvents();
      // the global has no entry of its own
      if (!entries.slice(at + 1).some((each) => each.section || each.exported || each.members.length > 0)) continue;
      out.push(`## ${entry.section[0].toUpperCase()}${entry.section.slice(1)}`);
      continue;
    }
    const { exported, kind, name, rest, doc, members } = entry;
    const type = /^type: "(\w+)"$/.exec(members[0]?.type ?? "");
    if (exported && type && name.endsWith("Event")) {
      const owned = rest.includes("OwnedEventBase") ? ["`subagentRunId?`"] : [];
      events.push(
        `| \`${type[1]}\` | \`${name}\` | ${members.slice(1).map((m) => `\`${cell(m.type)}\``).concat(owned).join("<br>")} |`);
      continue;
    }
    endEvents();
    const base = /^(?:<[^>]*>)? extends (.*?)(?: implements \w+)? \{$/.exec(rest)?.[1];
    if (!exported && members.length === 0) continue;
    const title = exported ? `### \`${name}\``
      : `### Every ${name.startsWith("Message") ? "message" : name.startsWith("Owned") ? "event of an agent or a subagent" : "event"} (\`${name}\`)`;
    out.push(title);
    if (base) out.push(`${kind === "class" ? "A class that extends" : "Members beside those of"} \`${base}\`.`);
    if (doc) out.push(doc);
    if (members.length > 0) out.push(
      ["| member | |", "|---|---|", ...members.map((m) => `| \`${cell(m.type)}\` | ${cell(m.doc)} |`)].join("\n"));
    else if (!base) out.push(`\`\`\`ts\n${entry.body.replace(/^export (declare )?/, "")}\n\`\`\``);
  }
  endEvents();
  return out.join("\n\n");
}
