"use strict";

// The page's words in English and Simplified Chinese. "{name}" is filled in.

/** @type {Record<string, string>} */
const en = {
  "page.title": "aguiwasm: watch an agent stream",
  "page.skip": "Skip to the message field",
  "page.about": "An agent answers with a stream of events. This page turns them into text, tool calls, shared state and questions, and shows each event as it comes.",
  "language": "Language",
  "view.talk": "Conversation",
  "view.inspector": "Inspector",
  "view.switch": "Parts of the page",
  "source.looking": "Looking for an agent…",
  "source.demo": "Demo agent: {name}",
  "source.own": "Your agent: {name}",
  "source.recorded": "No agent behind this page: it replays recorded runs.",
  "source.file": "Replays the file {name}",
  "source.none": "There is neither an agent nor a recorded run here. Enter the address of your agent.",
  "connect.open": "Your agent",
  "connect.title": "Try it on your own agent",
  "connect.url": "Address of the agent",
  "connect.headers": "Headers, one a line",
  "connect.hint": "Kept in this tab only, and sent to this address only. The agent must allow this page's origin (CORS).",
  "connect.use": "Use this agent",
  "connect.back": "Back to the demo",
  "connect.badUrl": "This is not the address of a web server.",
  "connect.badHeader": "This line is not a header: {line}",
  "abilities.title": "Things to try",
  "abilities.file": "Runs in this file",
  "group.talk": "Text",
  "group.tools": "Tools",
  "group.state": "Shared state",
  "group.questions": "Questions",
  "group.helpers": "Side by side",
  "group.trouble": "Trouble",
  "group.other": "More",
  "talk.new": "New conversation",
  "line.cut": "Cut the line",
  "line.cutLong": "Breaks the connection again and again. The agent goes on, and what it said comes later.",
  "line.idle": "Line at rest",
  "line.connecting": "Connecting",
  "line.connected": "Connected",
  "line.reconnecting": "Reconnecting",
  "line.lost": "Lost ({code})",
  "line.cuts": ", cut {count} times",
  "talk.empty": "Pick something to try, or write a message.",
  "inspector.pause": "Pause",
  "inspector.resume": "Go on",
  "inspector.clear": "Clear",
  "inspector.save": "Save",
  "inspector.saveLong": "Save the runs as a file that can be replayed",
  "inspector.load": "Load",
  "inspector.loadLong": "Load a file of runs and replay it",
  "inspector.loadFailed": "{name} cannot be replayed: {reason}",
  "inspector.actions": "Inspector",
  "figures.title": "Figures of run {number}",
  "figures.none": "Figures of the run",
  "figures.events": "Events",
  "figures.rate": "Events/s",
  "figures.bytes": "Bytes",
  "figures.first": "First event",
  "figures.duration": "Duration",
  "tab.events": "Events",
  "tab.state": "State",
  "tab.messages": "Messages",
  "tab.warnings": "Warnings",
  "tab.list": "Views of the run",
  "events.filter": "Types",
  "events.filterSome": "Types: {shown} of {all}",
  "events.all": "All",
  "events.none": "None",
  "events.list": "Events",
  "events.new": "{count} new",
  "events.empty": "No events yet.",
  "events.raw": "Event {number}",
  "events.close": "Close",
  "events.copy": "Copy",
  "events.copied": "Copied",
  "events.time": "Time since the start of the run",
  "state.tree": "State",
  "state.inSync": "in sync",
  "state.outOfSync": "out of sync: a delta failed",
  "state.empty": "The state is empty.",
  "messages.empty": "No messages yet.",
  "messages.earlier": "Show {count} earlier messages",
  "messages.whole": "Show all {count} characters",
  "warnings.empty": "No warnings.",
  "warnings.event": "Its event",
};

/** @type {Record<string, string>} */
const zh = {
  "page.title": "aguiwasm：观看智能体的事件流",
  "page.skip": "跳到消息输入框",
  "page.about": "智能体以事件流作答。本页把事件变成文字、工具调用、共享状态和提问，并逐一展示收到的每个事件。",
  "language": "语言",
  "view.talk": "对话",
  "view.inspector": "检查器",
  "view.switch": "页面区域",
  "source.looking": "正在寻找智能体…",
  "source.demo": "演示智能体：{name}",
  "source.own": "你的智能体：{name}",
  "source.recorded": "此页面背后没有智能体：正在重放录制的运行。",
  "source.file": "正在重放文件 {name}",
  "source.none": "这里既没有智能体，也没有录制的运行。请输入你的智能体地址。",
  "connect.open": "你的智能体",
  "connect.title": "用你自己的智能体试试",
  "connect.url": "智能体地址",
  "connect.headers": "请求头，每行一个",
  "connect.hint": "只保存在此标签页中，只发送到该地址。智能体必须允许本页的来源（CORS）。",
  "connect.use": "使用此智能体",
  "connect.back": "返回演示",
  "connect.badUrl": "这不是网络服务器的地址。",
  "connect.badHeader": "这一行不是请求头：{line}",
  "abilities.title": "试一试",
  "abilities.file": "此文件中的运行",
  "group.talk": "文字",
  "group.tools": "工具",
  "group.state": "共享状态",
  "group.questions": "提问",
  "group.helpers": "并行",
  "group.trouble": "故障",
  "group.other": "更多",
  "talk.new": "新对话",
  "line.cut": "切断线路",
  "line.cutLong": "反复断开连接。智能体会继续工作，它说的话稍后到达。",
  "line.idle": "线路空闲",
  "line.connecting": "正在连接",
  "line.connected": "已连接",
  "line.reconnecting": "正在重新连接",
  "line.lost": "已断开（{code}）",
  "line.cuts": "，已切断 {count} 次",
  "talk.empty": "选择一项试试，或输入消息。",
  "inspector.pause": "暂停",
  "inspector.resume": "继续",
  "inspector.clear": "清空",
  "inspector.save": "保存",
  "inspector.saveLong": "将运行保存为可重放的文件",
  "inspector.load": "打开",
  "inspector.loadLong": "打开运行文件并重放",
  "inspector.loadFailed": "无法重放 {name}：{reason}",
  "inspector.actions": "检查器",
  "figures.title": "第 {number} 次运行的数据",
  "figures.none": "运行数据",
  "figures.events": "事件",
  "figures.rate": "事件/秒",
  "figures.bytes": "字节",
  "figures.first": "首个事件",
  "figures.duration": "用时",
  "tab.events": "事件",
  "tab.state": "状态",
  "tab.messages": "消息",
  "tab.warnings": "警告",
  "tab.list": "运行视图",
  "events.filter": "类型",
  "events.filterSome": "类型：{shown} / {all}",
  "events.all": "全选",
  "events.none": "全不选",
  "events.list": "事件",
  "events.new": "新增 {count}",
  "events.empty": "还没有事件。",
  "events.raw": "事件 {number}",
  "events.close": "关闭",
  "events.copy": "复制",
  "events.copied": "已复制",
  "events.time": "自运行开始的时间",
  "state.tree": "状态",
  "state.inSync": "已同步",
  "state.outOfSync": "未同步：一次增量失败",
  "state.empty": "状态为空。",
  "messages.empty": "还没有消息。",
  "messages.earlier": "显示更早的 {count} 条消息",
  "messages.whole": "显示全部 {count} 个字符",
  "warnings.empty": "没有警告。",
  "warnings.event": "相关事件",
};

/**
 * What the demo agent's abilities are called in Chinese, and a message that chooses each.
 * @type {Record<string, [string, string]>}
 */
const zhAbilities = {
  "help": ["它能展示什么", "帮助"],
  "text": ["带 Markdown 的文字", "展示 Markdown 文本"],
  "reasoning": ["推理与加密值", "展示你的推理"],
  "tool": ["服务器上运行的工具", "查询里斯本的天气"],
  "page-tool": ["页面中运行的工具", "使用页面工具"],
  "plan": ["共享状态：逐步完成的计划", "制定一个计划"],
  "table": ["共享状态：200 行变化的表格", "展示 200 行的表格"],
  "activity": ["带增量的活动", "搜索并展示活动"],
  "approve": ["中断：批准工具调用", "删除旧日志，但先请我批准"],
  "ask": ["中断：需要输入", "请我输入地址"],
  "confirm": ["中断：确认", "订一张桌子，我来确认"],
  "several": ["同时两个中断", "同时提出多个中断"],
  "subagents": ["并行的子智能体", "让子智能体并行工作"],
  "chunks": ["分块：简写形式", "分块回答"],
  "media": ["工具结果中的媒体", "展示一张图片"],
  "steps": ["步骤", "按步骤工作"],
  "usage": ["用量、结果与自定义事件", "展示用量"],
  "history": ["消息快照", "总结历史"],
  "error": ["中途出错", "中途发生错误"],
  "cut": ["连接中断", "断开连接"],
  "slow": ["缓慢开始", "慢慢开始"],
  "flood": ["20,000 个事件", "事件洪水"],
};

/** The ability that a Chinese message chooses. @type {Map<string, string>} */
export const promptNames = new Map(Object.entries(zhAbilities).map(([name, [, prompt]]) => [prompt, name]));

const KEY = "agui-page-language";

/** "en" or "zh-CN": as chosen before in this tab, else as the browser prefers. */
export let language = chosen() ?? preferred();

function chosen() {
  try {
    const value = sessionStorage.getItem(KEY);
    return value === "en" || value === "zh-CN" ? value : null;
  } catch {
    return null; // storage may be forbidden
  }
}

function preferred() {
  for (const name of navigator.languages ?? []) {
    if (/^zh\b/i.test(name)) return "zh-CN";
    if (/^en\b/i.test(name)) return "en";
  }
  return "en";
}

/** @param {string} to */
export function setLanguage(to) {
  language = to === "zh-CN" ? "zh-CN" : "en";
  try {
    sessionStorage.setItem(KEY, language);
  } catch {
    // Storage may be forbidden; the choice then lasts until the page is left.
  }
}

/**
 * A text of the page.
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 */
export function say(key, values = {}) {
  const text = (language === "zh-CN" ? zh[key] : undefined) ?? en[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}

/**
 * An ability in the page's language.
 * @param {{name: string, title: string, prompt: string}} ability
 */
export function translated(ability) {
  const known = language === "zh-CN" && Object.hasOwn(zhAbilities, ability.name) ? zhAbilities[ability.name] : null;
  return known ? { ...ability, title: known[0], prompt: known[1] } : ability;
}

/**
 * Puts the texts into the markup: data-text names an element's own text; data-label, data-hint and data-empty those of
 * its aria-label, title and placeholder.
 * @param {ParentNode} root
 */
export function fill(root) {
  for (const [data, attribute] of [["text", ""], ["label", "aria-label"], ["hint", "title"],
    ["empty", "placeholder"]]) {
    for (const element of root.querySelectorAll(`[data-${data}]`)) {
      const text = say(element.getAttribute(`data-${data}`) ?? "");
      if (attribute) element.setAttribute(attribute, text);
      else element.textContent = text;
    }
  }
}

/** The keys of each language, for a test. */
export const keys = { en: Object.keys(en), "zh-CN": Object.keys(zh) };

/** @param {number} value */
export const count = (value) => value.toLocaleString(language);

/** A number that may be large, in little room. @param {number} value */
export const about = (value) => value < 10_000 ? count(Math.round(value))
  : value.toLocaleString(language, { notation: "compact" });

/** @param {number} bytes */
export function size(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  const [value, unit] = bytes < 1e6 ? [bytes / 1e3, "kB"] : [bytes / 1e6, "MB"];
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

/** @param {number} ms */
export function duration(ms) {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}
