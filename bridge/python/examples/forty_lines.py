#!/usr/bin/env python3
"""Signs in to the sandbox and publishes photographs: forty_lines.py CORE HANDLE PHOTO…"""
import itertools, json, pathlib, subprocess, sys, webbrowser  # noqa: E401

program, handle, *photos = sys.argv[1:]
core = subprocess.Popen([program, "--stdio", "--profile", "sandbox"],
                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
numbers = itertools.count(1)

def send(**message):
    core.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    core.stdin.flush()

def until(is_it):
    for line in core.stdout:
        message = json.loads(line)
        if message.get("method") == "effects/perform":  # the core listens for the page's end
            webbrowser.open(url := message["params"]["args"]["url"]) or print(url)
            send(id=message["id"], result={"outcome": "presented"})
        elif is_it(message):
            return message
    sys.exit(f"The core has ended (exit {core.wait()}).")

def call(method, **params):
    number = next(numbers)
    send(id=number, method=method, params=params)
    answer = until(lambda message: message.get("id") == number)
    return answer["result"] if "result" in answer else sys.exit(answer["error"]["message"])

def finish(verdict):
    ending = until(lambda message: message.get("params", {}).get("operation") == verdict["operation"]
                   and message["method"] == "operations/ended")["params"]
    return ending["outcome"] == "succeeded" or sys.exit(ending["problem"]["message"]["fallback"])

call("initialize", protocolVersions=[1], client={"name": "forty-lines", "version": "1"},
     capabilities={"effects": {"auth.present": {"version": 1, "presentations": ["externalBrowser"]}}},
     models=[{"model": "galleryPublish", "schemas": ["v1/models/gallery-publish.json"]}])
call("login.start")
finish(call("login.submitHandle", handle=handle))
draft = call("gallery.createDraft")["draft"]
files = [{"path": str(pathlib.Path(photo).resolve())} for photo in photos]
finish(call("gallery.addPhotos", draft=draft, files=files))
call("gallery.setDetails", draft=draft, title="In forty lines")
finish(call("gallery.publish", draft=draft))
print(call("models/get", model="galleryPublish", args={"draft": draft})["state"]["publishedUri"])
