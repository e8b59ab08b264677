# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A headless Chromium, driven over a pipe with nothing but the standard library.

The browser's debugging protocol is JSON with a NUL after each message; with
--remote-debugging-pipe it reads them from descriptor 3 and writes to descriptor 4.

    browser.py PAGE.html PICTURE.png [WIDTH HEIGHT]     a picture of the top of a page
"""

import atexit
import base64
import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--hide-scrollbars", "--force-color-profile=srgb", "--remote-debugging-pipe",
)


def find():
    """The path of a Chromium, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One process, started for the first page: each page has a context of its own in it, as if there were no other."""

    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(prefix="stowage-browser-")
        to_browser, self.to = os.pipe()
        self.back, from_browser = os.pipe()
        self.process = subprocess.Popen(
            ["sh", "-c", 'exec 3<&"$1" 4>&"$2"; shift 2; exec "$@"', "sh", str(to_browser),
             str(from_browser), find(), *FLAGS, f"--user-data-dir={self.profile.name}", "about:blank"],
            pass_fds=(to_browser, from_browser), stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.count, self.buffer = 0, b""
        atexit.register(self.close)

    def close(self):
        try:
            self.call(None, lambda message: None, "Browser.close", {})
        except (OSError, EOFError):
            pass
        self.process.wait(30)
        self.profile.cleanup()

    def message(self):
        while b"\0" not in self.buffer:
            piece = os.read(self.back, 1 << 20)
            if not piece:
                raise EOFError("the browser has gone")
            self.buffer += piece
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, session, note, method, params):
        self.count += 1
        request = {"id": self.count, "method": method, "params": params}
        if session:
            request["sessionId"] = session
        os.write(self.to, json.dumps(request).encode() + b"\0")
        while True:
            message = self.message()
            note(message)
            if message.get("id") == self.count:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]


@functools.cache
def browser():
    return Browser()


class Page:
    """One page, which shares nothing with others. Use as a context manager."""

    def __init__(self, path, width=1360, height=1000, dark=False, touch=False):
        self.browser, self.session, self.errors = browser(), None, []
        self.context = self.call("Target.createBrowserContext")["browserContextId"]
        target = self.call("Target.createTarget", url="about:blank", width=width, height=height,
                           browserContextId=self.context)["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Runtime.enable")
        self.call("Page.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=touch)
        self.call("Emulation.setTouchEmulationEnabled", enabled=touch, maxTouchPoints=2)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.open(pathlib.Path(path).resolve().as_uri())

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        self.session = None
        self.call("Target.disposeBrowserContext", browserContextId=self.context)

    def note(self, message):
        if message.get("method") == "Runtime.exceptionThrown" and message.get("sessionId") == self.session:
            self.errors.append(message["params"]["exceptionDetails"])

    def call(self, method, **params):
        return self.browser.call(self.session, self.note, method, params)

    def open(self, url):
        self.call("Page.navigate", url=url)
        wanted = f"document.readyState === 'complete' && location.href.startsWith({json.dumps(url)})"
        while not self.run(wanted):
            pass

    def run(self, expression):
        """The value of a JavaScript expression; promises are awaited."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(json.dumps(result["exceptionDetails"])[:600])
        return result["result"].get("value")

    def frame(self):
        """Waits until what is due has been drawn."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y, button="left"):
        self.mouse("mouseMoved", x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button=button, clickCount=1)

    def drag(self, x1, y1, x2, y2):
        self.mouse("mousePressed", x1, y1, button="left", clickCount=1)
        for step in range(1, 6):
            self.mouse("mouseMoved", x1 + (x2 - x1) * step / 5, y1 + (y2 - y1) * step / 5,
                       button="left", buttons=1)
        self.mouse("mouseReleased", x2, y2, button="left", clickCount=1)

    def touch(self, kind, *fingers):
        """Fingers are [x, y]; those that are missing have been lifted."""
        self.call("Input.dispatchTouchEvent", type=kind, touchPoints=[
            {"x": x, "y": y, "id": i} for i, (x, y) in enumerate(fingers)])

    def swipe(self, begin, end):
        """Moves fingers from where they come down to where they are lifted."""
        self.touch("touchStart", *begin)
        for step in range(1, 9):
            self.touch("touchMove", *([a + (b - a) * step / 8 for a, b in zip(p, q)]
                                      for p, q in zip(begin, end)))
        self.touch("touchEnd")

    def choose_file(self, element, *paths):
        node = self.call("Runtime.evaluate", expression=f"document.querySelector({json.dumps(element)})")
        self.call("DOM.setFileInputFiles", objectId=node["result"]["objectId"],
                  files=[os.path.abspath(p) for p in paths])

    def key(self, key):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key,
                      **({"text": key} if len(key) == 1 and kind == "keyDown" else {}))

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as out:
            out.write(base64.b64decode(data))


if __name__ == "__main__":
    with Page(sys.argv[1], *map(int, sys.argv[3:])) as shown:
        shown.frame()
        shown.screenshot(sys.argv[2])
