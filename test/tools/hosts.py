# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hosts that are namespaces of this machine: a name, a network device and an /etc/hosts each, joined by one link.
Programs on them see the files of this machine, as on a cluster with a shared file system.
"""
import os
import shlex
import shutil
import subprocess
import sys

SKIPPED = 77  # for ctest's SKIP_RETURN_CODE


def skip(reason):
    print("skipped:", reason)
    sys.exit(SKIPPED)


def need():
    """Skips unless namespaces can be made; outside of root, by starting over as root of a user namespace."""
    for tool in ("unshare", "nsenter", "ip"):
        if not shutil.which(tool):
            skip(f"needs {tool} (util-linux, iproute2)")
    if os.geteuid() != 0 and "ZCC_IN_USER_NAMESPACE" not in os.environ:
        inside = ["unshare", "--user", "--map-root-user"]
        if subprocess.run([*inside, "true"], capture_output=True).returncode != 0:
            skip("user namespaces are not permitted here, and this is not root")
        os.execvpe(inside[0], [*inside, sys.executable, *sys.argv], {**os.environ, "ZCC_IN_USER_NAMESPACE": "1"})
    probe = subprocess.run(["unshare", "--net", "--uts", "--mount", "sh", "-c",
                            "hostname probe && ip link set lo up && ip link add v0 type veth peer name v1 && mount --bind /etc /etc"],
                           capture_output=True, text=True)
    if probe.returncode != 0:
        skip("network namespaces are not permitted here: " + (probe.stderr.strip().splitlines() or ["?"])[-1])


class Host:
    def __init__(self, name, address, hosts_file):
        self.name, self.address = name, address
        # Lives as long as its standard input.
        setup = f"hostname {name} && ip link set lo up && mount --bind {shlex.quote(hosts_file)} /etc/hosts && echo up && exec cat"
        self.holder = subprocess.Popen(["unshare", "--net", "--uts", "--mount", "sh", "-c", setup], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, text=True)
        assert self.holder.stdout.readline() == "up\n", f"{name} did not come up"

    def command(self, line):
        """The command line that runs `line` there, in this folder, as the very process that is started."""
        return ["nsenter", "-t", str(self.holder.pid), "-n", "-u", "-m", "sh", "-c", 'cd "$0" && exec "$@"', os.getcwd(),
                *map(str, line)]

    def run(self, *line):
        return subprocess.run(self.command(line), check=True, capture_output=True, text=True).stdout

    def cut(self):
        """Takes its device down: no packet in or out, and nobody is told."""
        self.run("ip", "link", "set", "eth0", "down")

    def sent(self):
        """Bytes that left through its device."""
        lines = [line.split() for line in self.run("ip", "-s", "link", "show", "eth0").splitlines()]
        return int(lines[[words[0] for words in lines].index("TX:") + 1][0])

    def close(self):
        self.holder.stdin.close()
        self.holder.wait(timeout=10)


class Pair:
    """hosta and hostb at the two ends of a cable. `loopback`: each knows itself as 127.0.1.1, as Debian's installer writes."""

    def __init__(self, folder, loopback=False):
        names, addresses = ("hosta", "hostb"), ("192.168.77.1", "192.168.77.2")
        self.hosts = []
        for i, (name, address) in enumerate(zip(names, addresses)):
            path = os.path.join(folder, name + ".hosts")
            with open(path, "w") as f:
                f.write("127.0.0.1 localhost\n")
                for other, there in zip(names, addresses):
                    f.write(f"{'127.0.1.1' if loopback and other == name else there} {other}\n")
            self.hosts.append(Host(name, address, path))
        a, b = self.hosts
        a.run("ip", "link", "add", "eth0", "type", "veth", "peer", "name", "eth0", "netns", str(b.holder.pid))
        for host in self.hosts:
            host.run("ip", "address", "add", host.address + "/24", "dev", "eth0")
            host.run("ip", "link", "set", "eth0", "up")

    def __enter__(self):
        return self.hosts

    def __exit__(self, *_):
        for host in self.hosts:
            host.close()


def start(hosts, commands, master, port=29500, **kw):
    """One process a command, in rank order, on the host of the same index, with the variables that torchrun sets."""
    processes = []
    for rank, (host, command) in enumerate(zip(hosts, commands)):
        local = sum(h is host for h in hosts[:rank])
        processes.append(subprocess.Popen(host.command(command), env={
            **os.environ, "RANK": str(rank), "LOCAL_RANK": str(local), "WORLD_SIZE": str(len(commands)), "MASTER_ADDR": master,
            "MASTER_PORT": str(port)}, **kw))
    return processes


def mpirun(hosts, slots, folder, *options):
    """The beginning of a command line for the first of the hosts: a remote shell is a step into the other's namespaces."""
    agent = os.path.join(folder, "rsh")
    with open(agent, "w") as f:
        f.write("#!/bin/sh\nhost=$1\nshift\ncase $host in\n")
        for host in hosts:
            f.write(f"{host.name}|{host.address}) pid={host.holder.pid} ;;\n")
        f.write('*) echo "unknown host $host" >&2; exit 1 ;;\nesac\nexec nsenter -t $pid -n -u -m sh -c "$*"\n')
    os.chmod(agent, 0o755)
    return ["mpirun", "--allow-run-as-root", "--mca", "plm_rsh_agent", agent, "--mca", "orte_tmpdir_base", folder, "-H",
            ",".join(f"{host.name}:{slots}" for host in hosts), *options]
