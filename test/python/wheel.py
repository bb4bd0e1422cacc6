#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tries a wheel of zcc. Usage: wheel.py WHEEL [PART...]; parts are the functions below, all of them where none is named.

The environments are empty: a fresh virtual environment, whose PATH has no compiler, and minimal systems in a chroot, which need root, debootstrap and
network. CHROOTS=FOLDER keeps them there. A part that cannot run here says why, and is skipped.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, "build", "bin")
MOST = 60e6  # bytes of the wheel
GLIBC, GLIBCXX = (2, 34), (3, 4, 29)  # the newest that manylinux_2_34 has
SYSTEM = r"(libc|libm|libgcc_s|libstdc\+\+|ld-linux-x86-64|libpthread|libdl|librt)\.so"
GPT, DATA = os.path.join(ROOT, "examples", "gpt"), os.path.join(ROOT, "test", "data")
# Files, of which the first is compiled, and options.
MODELS = {"gpt": ([os.path.join(GPT, "loss.mlir"), os.path.join(GPT, "init.mlir")], ["--mesh=data=2", "--init=init.mlir"]),
          "moe": ([os.path.join(DATA, "moe", "loss.mlir")], ["--mesh=data=2,expert=2"]),
          "planned": ([os.path.join(DATA, "llama", "loss.mlir")], ["--mesh=4"]),
          "cuda": ([os.path.join(DATA, "mlp", "loss.mlir")], ["--target=cuda", "--cuda-arch=sm_90", "--ptxas=none"])}
MIRROR = "http://deb.debian.org/debian"


class Skip(Exception):
    pass


def expect(holds, message):
    if not holds:
        raise AssertionError(message)


def run(words, status=0, **options):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    expect(done.returncode == status, f"{' '.join(words)}: status {done.returncode}, expected {status}\n{done.stdout}")
    return done.stdout


def number(text):
    return tuple(int(part) for part in text.split("."))


def unpacked(wheel, folder):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return [path for path in glob.glob(os.path.join(folder, "zcc", "**"), recursive=True) if os.path.isfile(path) and open(path, "rb").read(4) == b"\x7fELF"]


def size(wheel, work):
    bytes_ = os.path.getsize(wheel)
    expect(bytes_ < MOST, f"{wheel} has {bytes_} bytes, at most {MOST:.0f}")
    return f"{bytes_ / 1e6:.1f} MB"


def symbols(wheel, work):
    """Checks the libraries and symbols that compiled files need, and those that libzcc.so exports."""
    files = unpacked(wheel, os.path.join(work, "unpacked"))
    newest = (0,)
    for path in files:
        text = run(["objdump", "-T", path])
        for library, most in (("GLIBC", GLIBC), ("GLIBCXX", GLIBCXX)):
            for version in re.findall(rf"\({library}_([0-9.]+)\)", text):
                expect(number(version) <= most, f"{path} needs {library}_{version}")
                newest = max(newest, number(version)) if library == "GLIBC" else newest
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", run(["readelf", "-d", path]))
        for name in needed:
            here = os.path.exists(os.path.join(os.path.dirname(path), name)) or name == "libzcc.so"
            expect(here or re.match(SYSTEM, name) or name.startswith("libmpi.so"), f"{path} needs {name}")
    expect(newest > (2, 2), "no symbol versions were found")
    library = os.path.join(work, "unpacked", "zcc", "lib", "libzcc.so")
    # Memory for such variables is scarce in a process that runs already.
    expect("STATIC_TLS" not in run(["readelf", "-d", library]), "libzcc.so has thread-local variables that must be there when a process starts")
    has = {line.split()[-1] for line in run(["nm", "-D", "--defined-only", library]).splitlines()}
    with open(os.path.join(ROOT, "capi", "zcc.h")) as f:
        declared = set(re.findall(r"\b(zcc_[a-z_]+)\(", f.read())) | {"zcc_main"}
    expect(has == declared, f"libzcc.so exports {sorted(has - declared)} beside zcc.h, and lacks {sorted(declared - has)}")
    return f"{len(files)} files, newest symbol of GLIBC_{'.'.join(map(str, newest))}, {len(has)} exports"


def manuals(wheel, work):
    """The manual pages, which pip puts into share/man."""
    with zipfile.ZipFile(wheel) as archive:
        pages = [name for name in archive.namelist() if re.fullmatch(r"zcc-[^/]*\.data/data/share/man/man1/(zcc|zrun)\.1", name)]
        for page in pages:
            text = archive.read(page).decode()
            expect(text.startswith(f".TH {os.path.basename(page)[:-2]} 1 ") and text.count(".TP\n") > 40, f"{page}: {text[:200]}")
    expect(len(pages) == 2, f"manual pages: {pages}")
    return "2 pages"


def packages_for(work, version):
    """A folder with the wheels of JAX and what it needs, numpy among it, for a version of Python: the newest that there are."""
    folder = os.path.join(work, "packages-" + version)
    if not os.path.isdir(folder):
        platforms = [word for name in ("2_28", "2_27", "2_17", "2014") for word in ("--platform", f"manylinux{'' if name == '2014' else '_'}{name}_x86_64")]
        run([sys.executable, "-m", "pip", "-q", "download", "--only-binary=:all:", "--python-version", version, *platforms, "-d", folder, "jax[cpu]"])
    return folder


class Environment:
    """A system with the wheel installed. `start` are the words before a program that starts it in `folder`; `variables` is its environment."""

    def __init__(self, start, folder, variables):
        self.start, self.folder, self.variables = start, folder, variables

    def run(self, *words, status=0, more=()):
        return run([*self.start, *words], status, cwd=self.folder, env={**self.variables, **dict(more)})

    def beside(self, words, processes, port):
        """Runs processes that know each other by variables."""
        started = []
        for rank in range(processes):
            more = {"RANK": str(rank), "WORLD_SIZE": str(processes), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
            started.append(subprocess.Popen([*self.start, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=self.folder,
                                            env={**self.variables, **more}))
        printed = [process.communicate()[0] for process in started]
        expect(not any(process.returncode for process in started), f"{' '.join(words)} on {processes} processes:\n{printed}")


def losses(environment):
    with open(os.path.join(environment.folder, "log")) as f:
        lines = [json.loads(line) for line in f]
    os.remove(f.name)
    return [line["loss"] for line in lines if "step" in line]


def try_programs(environment):
    """Compiles and trains by the installed programs, and compares what they write with what the built ones do."""
    for tool in ("cc", "gcc", "clang", "ld", "ld.lld", "mpirun"):
        expect(not shutil.which(tool, path=environment.variables["PATH"]) or environment.start, f"{tool} is on the PATH of {environment.folder}")
    for name, (files, options) in MODELS.items():
        for file in files:
            shutil.copy(file, environment.folder)
        words = [os.path.basename(files[0]), *options, "--quiet", "-o"]
        environment.run("zcc", *words, f"{name}.zexe")
        run([os.path.join(BUILD, "zcc"), *words, f"{name}-built.zexe"], cwd=environment.folder)
        contents = [open(os.path.join(environment.folder, f"{name}{kind}.zexe"), "rb").read() for kind in ("", "-built")]
        expect(contents[0] == contents[1], f"{name}: the wheel's zcc writes another executable than {BUILD}/zcc")
    with open(os.path.join(environment.folder, "text"), "wb") as f:
        f.write(bytes(range(32, 128)) * 2000)
    words = ["zrun", "gpt.zexe", "--init-seed=1", "--tokens=text", "--token-type=u8", "--steps=20", "--lr=1e-3", "--log=log"]
    environment.run(*words)
    local = losses(environment)
    expect(len(local) == 20 and local[-1] < local[0] - 0.5, f"losses do not fall: {local}")
    environment.beside([*words, "--ranks=env"], 2, 29517)
    apart = losses(environment)
    expect(apart == local, f"two processes over Gloo have other losses than two ranks of one: {apart}, {local}")
    return f"{len(MODELS)} executables of the same bytes; losses {local[0]:.2f} to {local[-1]:.2f}, the same over Gloo"


def try_package(environment):
    """Compiles and trains a JAX loss from Python, as the guide and quickstart do."""
    shutil.copy(os.path.join(ROOT, "examples", "ten_lines.py"), environment.folder)
    printed = environment.run("python", "ten_lines.py", more={"ZCC_CACHE": "cache"})
    expect(re.search(r"^loss 0\.[89]\d, then 0\.0\d \(64, 1\)$", printed, re.M), f"ten_lines.py prints: {printed}")
    jax = environment.run("python", "-c", "import jax, sys; print('JAX', jax.__version__, 'in Python', sys.version.split()[0])").strip()
    return f"a loss of {jax} trains"


def venv(wheel, work):
    """A fresh virtual environment whose PATH has nothing else."""
    place = os.path.join(work, "venv")
    run([sys.executable, "-m", "venv", place])
    python = os.path.join(place, "bin", "python")
    started = time.time()
    run([python, "-m", "pip", "-q", "install", "--no-deps", wheel])
    install = time.time() - started
    packages = packages_for(work, "%d.%d" % sys.version_info[:2])
    run([python, "-m", "pip", "-q", "install", "--no-index", "--find-links", packages, "jax"])
    folder = os.path.join(work, "venv-models")
    os.makedirs(folder)
    environment = Environment([], folder, {"PATH": os.path.join(place, "bin")})
    python_words = [python, "-c", "import zcc._library as l; print(l.version())"]
    expect(environment.run(*python_words).strip() == os.path.basename(wheel).split("-")[1], "the package has another version than its library")
    started = time.time()
    environment.run(*python_words)
    load = time.time() - started
    expect("usage" in environment.run("zcc", "--help").lower(), "zcc --help says nothing")
    return f"installs in {install:.1f} s, starts and loads in {load:.2f} s; {try_programs(environment)}; {try_package(environment)}"


def system(release, wheel, work, packages=("python3", "python3-venv")):
    """The folder of a minimal Debian with Python and a virtual environment at /venv, and what installing the wheel there prints."""
    if os.geteuid():
        raise Skip("a chroot needs root")
    if not shutil.which("debootstrap"):
        raise Skip("debootstrap is not installed: apt-get install debootstrap")
    root = os.path.join(os.environ.get("CHROOTS", work), release)
    if not os.path.isdir(os.path.join(root, "root")):
        done = subprocess.run(["debootstrap", "--variant=minbase", "--include=" + ",".join(packages), release, root, MIRROR], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            shutil.rmtree(root, ignore_errors=True)
            raise Skip(f"debootstrap {release} failed: {done.stdout.strip().splitlines()[-1]}")
    for folder in ("venv", "models", "wheels"):
        shutil.rmtree(os.path.join(root, folder), ignore_errors=True)
    os.makedirs(os.path.join(root, "models"))
    inside = ["chroot", root]
    version = run([*inside, "/usr/bin/python3", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]).strip()
    shutil.copytree(packages_for(work, version), os.path.join(root, "wheels")) if number(version) >= (3, 10) else os.makedirs(os.path.join(root, "wheels"))
    shutil.copy(wheel, os.path.join(root, "wheels"))
    run([*inside, "/usr/bin/python3", "-m", "venv", "/venv"])
    return root


def try_debian(release, wheel, work):
    root = system(release, wheel, work)
    variables = {"PATH": "/venv/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
    name = "/wheels/" + os.path.basename(wheel)
    run(["chroot", root, "/venv/bin/pip", "-q", "install", "--no-index", "--find-links=/wheels", name, "jax"], env=variables)
    for tool in ("cc", "gcc", "clang", "ld", "mpirun"):
        expect(not os.path.exists(os.path.join(root, "usr", "bin", tool)), f"{root} has {tool}")
    # With a /proc, which goes with the process.
    enter = f"mount -t proc proc '{root}/proc' && exec chroot '{root}' /bin/sh -c 'cd /models && exec \"$@\"' sh \"$@\""
    start = ["unshare", "--mount", "/bin/sh", "-c", enter, "sh"]
    environment = Environment(start, os.path.join(root, "models"), variables)
    done = try_programs(environment)
    refused = environment.run("zrun", "gpt.zexe", "--init-seed=1", "--tokens=text", "--token-type=u8", "--steps=1", "--ranks=mpi", status=2)
    expect("Open MPI cannot be opened" in refused and "install" in refused, f"without MPI zrun says: {refused}")
    return f"{done}; without MPI zrun says so; {try_package(environment)}"


def debian12(wheel, work):
    return try_debian("bookworm", wheel, work)


def debian13(wheel, work):
    return try_debian("trixie", wheel, work)


def debian11(wheel, work):
    """Its pip refuses: its C library is 2.31."""
    root = system("bullseye", wheel, work)
    printed = run(["chroot", root, "/venv/bin/pip", "install", "--no-index", "--no-deps", "/wheels/" + os.path.basename(wheel)], status=1)
    expect("is not a supported wheel on this platform" in printed, f"pip of Debian 11 says: {printed}")
    return "refused"


def main():
    wheel, *names = sys.argv[1:]
    wheel = os.path.abspath(wheel)
    parts = {part.__name__: part for part in (size, symbols, manuals, venv, debian12, debian13, debian11)}
    for name in names:
        if name not in parts:
            sys.exit(f"error: expected parts of {', '.join(parts)}, found {name}")
    failed = False
    for name in names or parts:
        with tempfile.TemporaryDirectory(prefix="wheel-") as work:
            started = time.time()
            try:
                result = parts[name](wheel, work)
            except Skip as reason:
                result = f"skipped: {reason}"
            except AssertionError as error:
                result, failed = f"FAILED: {error}", True
        print(f"{name:9} {result} ({time.time() - started:.0f} s)", flush=True)
    sys.exit(1 if failed else 0)


main()
