"""A real browser without a window, driven by the standard library through WebDriver."""

import base64
import json
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")

# It does nothing but open pages: no first visit, no updates, nothing in the background.
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)

# An element in an answer is an object with this one key.
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Browser:
    """One window; `with Browser() as browser` closes it."""

    def __init__(self) -> None:
        assert CHROMIUM is not None
        assert DRIVER is not None
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self._driver = subprocess.Popen(
            [DRIVER, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self._at = f"http://127.0.0.1:{port}"
        try:
            self._wait_until_ready()
            self._start()
        except BaseException:
            self.close()
            raise

    def _start(self) -> None:
        options = {
            "binary": CHROMIUM,
            "args": [*FLAGS, f"--user-data-dir={self._profile.name}"],
            "perfLoggingPrefs": {"enableNetwork": True, "enablePage": False},
        }
        wanted = {
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }
        made = self._call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self._at += f"/session/{made['sessionId']}"
        # Away from the browser's own first page, whose parts would be taken for requests.
        self._call("POST", "/url", {"url": "about:blank"})

    def __enter__(self) -> "Browser":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the session, the browser and its driver."""
        if "/session/" in self._at:
            self._call("DELETE", "", None)
        self._driver.terminate()
        self._driver.wait(timeout=20)
        self._profile.cleanup()

    def size(self, width: int, height: int, *, phone: bool = False, dark: bool = False) -> None:
        """What the page takes its window for."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 2, "mobile": phone}
        self.devtools("Emulation.setDeviceMetricsOverride", **metrics)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.devtools("Emulation.setEmulatedMedia", features=[scheme])

    def open(self, page: Path) -> None:
        """Open a file, and forget what was logged before."""
        self.console(), self.requests()
        self._call("POST", "/url", {"url": page.resolve().as_uri()})

    def run(self, script: str, *arguments: Any) -> Any:
        """The value of a function's body in the page."""
        return self._call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def scroll_to(self, selector: str) -> None:
        """Bring an element to the middle, and wait until the page has taken notice."""
        self.run(
            "document.querySelector(arguments[0])"
            ".scrollIntoView({ block: 'center', behavior: 'instant' });"
            "return new Promise(done => requestAnimationFrame("
            "  () => requestAnimationFrame(() => setTimeout(done, 50))))",
            selector,
        )

    def click(self, selector: str, number: int = 0) -> None:
        """Click an element, as a pointer would."""
        found = self._call("POST", "/elements", {"using": "css selector", "value": selector})
        self.run(
            "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", found[number]
        )
        self._call("POST", f"/element/{found[number][ELEMENT]}/click", {})

    def type(self, selector: str, text: str) -> None:
        """Type into an input."""
        found = self._call("POST", "/element", {"using": "css selector", "value": selector})
        self._call("POST", f"/element/{found[ELEMENT]}/value", {"text": text})

    def choose(self, selector: str, value: str) -> None:
        """Choose an option of a select."""
        self.run(
            "const s = document.querySelector(arguments[0]); s.value = arguments[1];"
            "s.dispatchEvent(new Event('change', { bubbles: true }))",
            selector,
            value,
        )

    def hover(self, x: float, y: float) -> None:
        """Move the pointer to a place in the window."""
        move = {"type": "pointerMove", "duration": 0, "x": int(x), "y": int(y)}
        mouse = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}}
        self._call("POST", "/actions", {"actions": [{**mouse, "actions": [move]}]})

    def devtools(self, command: str, **parameters: Any) -> Any:
        """A command of Chromium's own protocol."""
        return self._call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def console(self) -> list[str]:
        """What the page said on the console since it was asked last: errors, warnings, words."""
        return [entry["message"] for entry in self._call("POST", "/se/log", {"type": "browser"})]

    def requests(self) -> list[str]:
        """The addresses that were asked for since."""
        found = []
        for entry in self._call("POST", "/se/log", {"type": "performance"}):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return found

    def screenshot(self, path: Path, *, whole: bool = False) -> None:
        """A picture of the window, or of the whole page."""
        shot = self.devtools("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(shot["data"]))

    def printed(self) -> bytes:
        """The page as PDF."""
        return base64.b64decode(self._call("POST", "/print", {}))

    def _wait_until_ready(self) -> None:
        end = time.monotonic() + 30
        while True:
            try:
                if self._call("GET", "/status", None)["ready"]:
                    return
            except OSError:
                if time.monotonic() > end or self._driver.poll() is not None:
                    raise
            time.sleep(0.05)

    def _call(self, verb: str, path: str, body: Any) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._at + path, data, method=verb)
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            with error:
                raise RuntimeError(error.read().decode()) from None
