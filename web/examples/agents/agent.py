"""A minimal agent in Python, with nothing but its library: python3 agent.py 8000"""
import json, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
class Agent(BaseHTTPRequestHandler):
    def begin(self, status, **headers):
        self.send_response(status)
        for name, value in {"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*", **headers}.items():
            self.send_header(name, value)
        self.end_headers()
    def do_OPTIONS(self):  # what a browser asks first, where the page comes from another origin
        self.begin(204)
    def event(self, kind, **fields):
        self.wfile.write(f"data: {json.dumps({'type': kind, **fields})}\n\n".encode())
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        run = {"threadId": asked["threadId"], "runId": asked["runId"]}
        words = next((m["content"] for m in reversed(asked["messages"]) if m["role"] == "user"), "")
        self.begin(200, **{"Content-Type": "text/event-stream", "Cache-Control": "no-cache"})
        self.event("RUN_STARTED", **run)
        self.event("TEXT_MESSAGE_START", messageId=f"{run['runId']}-1", role="assistant")
        for word in f"You said: {words}".split(" "):  # here your model's answer comes, piece by piece
            self.event("TEXT_MESSAGE_CONTENT", messageId=f"{run['runId']}-1", delta=word + " ")
        self.event("TEXT_MESSAGE_END", messageId=f"{run['runId']}-1")
        self.event("RUN_FINISHED", **run)
ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Agent).serve_forever()
