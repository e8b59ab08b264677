#!/usr/bin/env python3
# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is too large, too long or cut short: bounded memory, time limits, Ctrl-C.

    limits.py STOWAGE SLOW

SLOW is the command with slow_plan.c for a planner.
"""

import fcntl
import os
import pathlib
import pty
import re
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

failures = []


def check(name, holds, seen=""):
    print("ok  " if holds else "FAIL", name, "" if holds else seen)
    if not holds:
        failures.append(name)


def limit_memory(megabytes):
    def set_limit():
        resource.setrlimit(resource.RLIMIT_DATA, (megabytes << 20, megabytes << 20))
    return set_limit


def feed(stowage, pieces, total, head=b""):
    """Exit status and messages of a plan whose standard input is `head` and `total` bytes of
    `pieces`."""
    process = subprocess.Popen([stowage, "plan", "-", "--quiet"], stdin=subprocess.PIPE,
                               stderr=subprocess.PIPE, preexec_fn=limit_memory(256))
    try:
        sent = 0
        process.stdin.write(head)
        while sent < total:
            process.stdin.write(pieces)
            sent += len(pieces)
    except BrokenPipeError:
        pass
    try:
        process.stdin.close()
    except BrokenPipeError:
        pass
    message = process.stderr.read().decode()
    return process.wait(60), message


def check_long_lines(stowage):
    two_gigabytes = 2 << 30
    for name, piece in [("a 2 GB line of one field", b"x" * (1 << 20)),
                        ("a 2 GB line of many fields", b"x," * (1 << 19)),
                        ("2 GB of zeros", bytes(1 << 20)),
                        ("a 2 GB string of JSON", b'{"' + b"x" * (1 << 20)),
                        ("2 GB of nested arrays", b'{"x":' + b"[" * (1 << 20))]:
        status, message = feed(stowage, piece, two_gigabytes)
        check(name, status == 2 and message.startswith("<stdin>:1:") and "error" in message,
              (status, message))
    status, message = feed(stowage, b" " * (1 << 20), 1 << 26, b"id,lower,upper,size\n")
    check("64 MB of blanks are no rows", status == 0, (status, message))


def plan(stowage, *arguments, **options):
    return subprocess.run([stowage, "plan", "--quiet", *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60, **options)


def sanitized(stowage):
    return b"__asan_init" in pathlib.Path(stowage).read_bytes()


def valid(stowage, file):
    """Whether `file` is a plan. It is gone afterwards."""
    done = subprocess.call([stowage, "verify", "--quiet", file])
    file.unlink(missing_ok=True)
    return done == 0


def check_stops(stowage, slow, folder):
    """Work of ten seconds is stopped, and what it had is a plan."""
    made, out = folder / "made.csv", folder / "out.csv"
    subprocess.run([stowage, "gen", "--buffers=50", f"--output={made}"], check=True)
    for option in ("--time-limit=300ms", "--timeout=0.3"):
        begin = time.monotonic()
        done = plan(slow, str(made), f"--output={out}", option)
        taken = time.monotonic() - begin
        check(f"{option} ends with 3", done.returncode == 3, done)
        check("and is kept", 0.3 <= taken < 5, taken)
        check("its plan is valid", valid(stowage, out))
    for number in (signal.SIGINT, signal.SIGTERM):
        process = subprocess.Popen([slow, "plan", "--quiet", made, f"--output={out}"])
        time.sleep(0.7)
        process.send_signal(number)
        status = process.wait(30)
        check(f"{number.name} ends with 3", status == 3, status)
        check("its plan is valid", valid(stowage, out))
    process = subprocess.Popen([slow, "plan", "--quiet", made, "--time-limit=5"])
    time.sleep(0.5)
    check("quiet is quiet", process.poll() is None)
    process.kill()
    process.wait()


def check_bench_stops(slow, folder):
    made, out = folder / "made.csv", folder / "table.csv"
    process = subprocess.Popen([slow, "bench", made, "--strategies=auto", f"--output={out}"],
                               stdout=subprocess.DEVNULL)
    while process.poll() is None and not any(folder.glob("table.csv.*")):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    status = process.wait(30)
    check("bench ends with 3", status == 3, status)
    check("and keeps its table", out.read_text().startswith("file,"), out)
    out.unlink()


def check_no_drafts(stowage, folder):
    """A signal while a file is written: the process ends as it asks, the file is not there."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        place = folder / number.name
        place.mkdir()
        process = subprocess.Popen([stowage, "gen", "--buffers=400000", f"--output={place}/x.csv"])
        while process.poll() is None and not any(place.iterdir()):
            time.sleep(0.001)
        process.send_signal(number)
        status = process.wait(30)
        left = [p.name for p in place.iterdir()]
        check(f"{number.name} leaves no draft", (status, left) in [(-number, []), (0, ["x.csv"])],
              (status, left))


def on_terminal(command, columns=80, **environment):
    """What a command writes to a terminal."""
    child, terminal = pty.fork()
    if not child:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
        for unset in ("COLUMNS", "NO_COLOR"):
            os.environ.pop(unset, None)
        os.execve(command[0], command, os.environ | {"TERM": "xterm"} | environment)
    text = b""
    try:
        while piece := os.read(terminal, 4096):
            text += piece
    except OSError:
        pass  # how a terminal ends
    os.waitpid(child, 0)
    os.close(terminal)
    return text.decode()


def check_progress(stowage, slow, folder):
    made = folder / "made.csv"
    text = on_terminal([slow, "plan", str(made), "--map=none", "--time-limit=1.8"])
    shown = text.count("\r\x1b[Kbest ")
    check("progress is shown after a second", 2 <= shown <= 6 and "bound " in text and "gap " in text,
          text[:300])
    check("and wiped away", "\r\x1b[Kstowage plan" in text, text[-300:])
    text = on_terminal([slow, "plan", str(made), "--map=none", "--time-limit=0.5"])
    check("a short run shows none", "best " not in text, text[:300])
    for how, columns, environment in (("a narrow terminal cuts it", 30, {}),
                                      ("a dumb terminal shows none", 80, {"TERM": "dumb"})):
        text = on_terminal([slow, "plan", str(made), "--quiet", "--map=none", "--time-limit=2"],
                           columns, **environment)
        check("quiet is quiet on a terminal", not text, text)
        text = on_terminal([slow, "plan", str(made), "--map=none", "--time-limit=2"], columns,
                           **environment)
        lines = [part.split("\r")[0] for part in text.split("\x1b[K")[1:-1]]
        check(how, all(len(line) < columns for line in lines) and
              bool(lines) == (not environment), lines)


ESCAPE = re.compile("\x1b\\[[0-9;]*m")


def check_map(stowage, folder):
    """The map is as wide as the terminal, in its colours and letters."""
    made, out = str(folder / "made.csv"), str(folder / "plan.csv")
    subprocess.run([stowage, "plan", made, "--quiet", f"--output={out}"], check=True)
    for columns in (40, 80, 200):
        text = on_terminal([stowage, "map", out], columns, LC_ALL="C.UTF-8")
        widest = max(len(line) for line in ESCAPE.sub("", text).splitlines())
        check(f"a map in {columns} columns", columns - 20 < widest <= columns, (widest, text))
        check("is coloured, in blocks", "\x1b[" in text and "\u2502" in text, text)
    text = on_terminal([stowage, "map", out], LC_ALL="C", NO_COLOR="1")
    check("without colours, in ASCII", "\x1b" not in text and text.isascii(), text)


def check_same(stowage, folder):
    made = folder / "made.csv"
    subprocess.run([stowage, "gen", "--buffers=3000", f"--output={made}"], check=True)
    little = [str(made), "--output=-", "--effort=2000000"]
    first = plan(stowage, *little).stdout
    check("the same plan twice", first and first == plan(stowage, *little).stdout)
    check("the same plan with threads", first == plan(stowage, *little, "--threads=4").stdout)


def check_million(stowage, folder):
    made = folder / "million.csv"
    subprocess.run([stowage, "gen", "--buffers=1000000", f"--output={made}"], check=True)
    before = time.monotonic()
    done = subprocess.run([stowage, "convert", made, "--to=json", "--output=/dev/null"],
                          preexec_fn=limit_memory(1024))
    check("a million rows are read and written", done.returncode == 0, done.returncode)
    print(f"     in {time.monotonic() - before:.2f} s")


def main(arguments):
    stowage, slow = map(os.path.abspath, arguments)
    if not sanitized(stowage):  # a sanitizer's shadow memory is not the tool's
        check_long_lines(stowage)
    with tempfile.TemporaryDirectory(prefix="stowage-limits-") as name:
        folder = pathlib.Path(name)
        check_stops(stowage, slow, folder)
        check_bench_stops(slow, folder)
        check_no_drafts(stowage, folder)
        check_progress(stowage, slow, folder)
        check_map(stowage, folder)
        check_same(stowage, folder)
        if not sanitized(stowage):
            check_million(stowage, folder)
    print(f"{len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
