package model

import "strings"

// Labels are the view's own words, by name. The names are the keys of [English].
type Labels map[string]string

// Get gives a label; a name without one gives the name.
func (l Labels) Get(name string) string {
	if s, ok := l[name]; ok {
		return s
	}
	if s, ok := English[name]; ok {
		return s
	}
	return name
}

// Fill gives a label with {} replaced.
func (l Labels) Fill(name, value string) string {
	return strings.ReplaceAll(l.Get(name), "{}", value)
}

// LabelsFor gives the labels of a language tag: Simplified Chinese for zh, else English. own replaces single ones.
func LabelsFor(lang string, own map[string]string) Labels {
	base := English
	if first, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(lang), "_", "-"), "-"); first == "zh" ||
		first == "cmn" {
		base = Chinese
	}
	if len(own) == 0 {
		return base
	}
	l := make(Labels, len(base))
	for k, v := range base {
		l[k] = v
	}
	for k, v := range own {
		l[k] = v
	}
	return l
}

// LabelNames gives the names of all labels, a JSON array of strings.
func LabelNames() string {
	var list []string
	for name := range English {
		list = append(list, name)
	}
	return `["` + strings.Join(list, `","`) + `"]` // they are plain words
}

// English are the English labels.
var English = Labels{
	"chat": "Chat", "conversation": "Conversation", "you": "You", "assistant": "Assistant", "message": "Message",
	"placeholder": "Write a message", "send": "Send", "stop": "Stop", "retry": "Retry", "attach": "Attach files",
	"remove": "Remove {}", "attachments": "Attachments", "drop": "Drop files here", "tooLarge": "{} is too large.",
	"notTaken":   "The agent does not take {}.",
	"unreadable": "{} could not be read.", "empty": "How can I help?", "newMessages": "New messages",
	"working": "Working", "thinking": "Thinking", "thought": "Thought", "reasoning": "Reasoning",
	"copy": "Copy", "copied": "Copied", "copyFailed": "Copying failed", "code": "Code", "table": "Table",
	"tool": "Tool {}", "arguments": "Arguments", "result": "Result", "failed": "Failed", "error": "Error",
	"preparing": "Preparing", "running": "Running", "done": "Done", "waiting": "Waiting for you", "stopped": "Stopped",
	"declined": "Rejected", "dismissed": "Dismissed",
	"activity": "Activity", "subagent": "Subagent", "empty value": "empty", "more": "{} more", "showMore": "Show more",
	"yes": "Yes", "no": "No",
	"true": "yes", "false": "no", "none": "none",
	"image": "Image", "audio": "Audio", "video": "Video", "document": "Document", "file": "File",
	"load": "Load {}", "from": "from {}", "download": "Download {}", "open": "Open {}",
	"unsupported": "Content that cannot be shown: {}",
	"question":    "The agent asks", "approve": "Approve", "reject": "Reject", "edit": "Edit", "cancel": "Cancel",
	"dismiss": "Dismiss", "queued": "Waiting to be sent", "refused": "Your answer was not accepted.",
	"submit": "Submit", "answer": "Answer", "approval": "Approval needed", "editArguments": "Arguments as JSON",
	"answered": "{} of {all} answered",
	"expires":  "Until {}", "expired": "This question has expired.", "choose": "Choose",
	"answerFirst": "Please answer above first",
	"required":    "This is needed.", "invalid": "This does not fit.", "invalidNumber": "This must be a number.",
	"invalidRange": "This number is out of range.", "invalidJSON": "This is not valid JSON.",
	"networkError": "The connection to the agent failed.", "httpError": "The agent answered with an error.",
	"formatError": "The agent's answer cannot be read.", "cutError": "The answer broke off.",
	"timeoutError": "The agent has not answered in time.",
	"runError":     "The agent reports an error.", "inputError": "This cannot be sent.",
	"loadError": "The chat could not be loaded.",
	"lostError": "The connection to the agent is lost.", "busyError": "The agent still works in this conversation.",
	"reconnecting": "Reconnecting", "offline": "Offline: it goes on when the network is back.",
	"reconnect": "Reconnect", "sendAgain": "Send again", "workTwice": "Sent again, the agent may do its work twice.",
	"regenerate": "Regenerate", "version": "Version {} of {all}", "previousVersion": "Previous version",
	"nextVersion": "Next version",
	"notAccepted": "{} is of a type that is not taken here.",
	"tooMany":     "There are too many files: {} was left out.",
	"readAloud":   "Read aloud", "stopReading": "Stop reading", "good": "Good", "bad": "Bad", "brokeOff": "Broke off",
	"otherError": "Something went wrong.", "todo": "To do", "jump": "Jump to the newest message",
	"openChat": "Open the chat", "closeChat": "Close the chat",
}

// Chinese are the labels in Simplified Chinese.
var Chinese = Labels{
	"chat": "聊天", "conversation": "对话", "you": "你", "assistant": "助手", "message": "消息",
	"placeholder": "输入消息", "send": "发送", "stop": "停止", "retry": "重试", "attach": "添加文件",
	"remove": "移除 {}", "attachments": "附件", "drop": "拖放文件到此处", "tooLarge": "{} 太大。",
	"notTaken":   "智能体不接受 {}。",
	"unreadable": "无法读取 {}。", "empty": "有什么可以帮你？", "newMessages": "新消息",
	"working": "处理中", "thinking": "思考中", "thought": "思考过程", "reasoning": "推理",
	"copy": "复制", "copied": "已复制", "copyFailed": "复制失败", "code": "代码", "table": "表格",
	"tool": "工具 {}", "arguments": "参数", "result": "结果", "failed": "失败", "error": "错误",
	"preparing": "准备中", "running": "运行中", "done": "完成", "waiting": "等待你的操作", "stopped": "已停止", "declined": "已拒绝",
	"dismissed": "已忽略",
	"activity":  "活动", "subagent": "子智能体", "empty value": "空", "more": "还有 {} 项", "showMore": "显示更多", "yes": "是",
	"no":   "否",
	"true": "是", "false": "否", "none": "无",
	"image": "图片", "audio": "音频", "video": "视频", "document": "文档", "file": "文件",
	"load": "加载{}", "from": "来自 {}", "download": "下载 {}", "open": "打开 {}", "unsupported": "无法显示的内容：{}",
	"question": "需要你回答", "approve": "批准", "reject": "拒绝", "edit": "修改", "cancel": "取消", "dismiss": "忽略",
	"queued": "等待发送", "refused": "你的回答未被接受。",
	"submit": "提交", "answer": "回答", "approval": "需要批准", "editArguments": "参数（JSON）", "answered": "已回答 {} / {all}",
	"expires": "截止 {}", "expired": "此问题已过期。", "choose": "请选择", "answerFirst": "请先回答上面的问题",
	"required": "必填。", "invalid": "格式不符。", "invalidNumber": "请输入数字。",
	"invalidRange": "数字超出范围。", "invalidJSON": "不是有效的 JSON。",
	"networkError": "与智能体的连接失败。", "httpError": "智能体返回了错误。",
	"formatError": "无法读取智能体的回应。", "cutError": "回应中断了。", "timeoutError": "智能体没有及时回应。",
	"runError": "智能体报告了错误。", "inputError": "无法发送。", "loadError": "聊天加载失败。",
	"lostError": "与智能体的连接已断开。", "busyError": "智能体仍在处理此对话。",
	"reconnecting": "正在重新连接", "offline": "离线：网络恢复后继续。",
	"reconnect": "重新连接", "sendAgain": "重新发送", "workTwice": "重新发送可能使智能体重复执行。",
	"regenerate": "重新生成", "version": "第 {} 个版本，共 {all} 个", "previousVersion": "上一个版本", "nextVersion": "下一个版本",
	"readAloud": "朗读", "stopReading": "停止朗读", "good": "有用", "bad": "没用", "brokeOff": "回答中断",
	"notAccepted": "不能发送这种类型的文件：{}。", "tooMany": "文件太多：{} 未添加。", "otherError": "出错了。", "todo": "待办", "jump": "跳到最新消息",
	"openChat": "打开聊天", "closeChat": "关闭聊天",
}

// ErrorWords gives the name of the label that says what an error code means.
func ErrorWords(code string) string {
	switch code {
	case "network":
		return "networkError"
	case "http_status":
		return "httpError"
	case "bad_content_type", "bad_event", "event_too_large", "protocol":
		return "formatError"
	case "incomplete_stream":
		return "cutError"
	case "idle_timeout":
		return "timeoutError"
	case "run_error":
		return "runError"
	case "bad_input":
		return "inputError"
	case "load_failed":
		return "loadError"
	case "resume_gone", "resume_refused", "no_progress", "not_resumable":
		return "lostError"
	case "busy":
		return "busyError"
	}
	return "otherError"
}
