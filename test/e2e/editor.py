# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The language server over standard input and output, as an editor runs it, on the text of every phase."""
import glob

from harness import *


class Server:
    def __init__(self):
        self.process = subprocess.Popen([os.path.join(BIN, "zcc-lsp-server"), "--log=error"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.last = 0

    def send(self, method, params, **more):
        text = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(text) + text)
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while line := self.process.stdout.readline().strip():
            if line.startswith(b"Content-Length:"):
                length = int(line.split()[1])
        return json.loads(self.process.stdout.read(length))

    def ask(self, method, params):
        self.last += 1
        self.send(method, params, id=self.last)
        while True:
            message = self.receive()
            if message.get("id") == self.last:
                return message["result"]

    def open(self, name, text):
        """The diagnostics of the text."""
        self.send("textDocument/didOpen", {"textDocument": {"uri": f"file:///{name}", "languageId": "mlir", "version": 1, "text": text}})
        while True:
            message = self.receive()
            if message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == f"file:///{name}":
                return message["params"]["diagnostics"]


def test_every_phase_is_understood():
    server = Server()
    capabilities = server.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})["capabilities"]
    assert capabilities["hoverProvider"] and capabilities["definitionProvider"] and capabilities["referencesProvider"], capabilities
    call("zcc", model_text("mlp"), "--mesh=data=2", "--compile-to=planned", "--dump-phases-to", path("phases"), "-o", path("planned.mlir"),
         "--quiet")
    files = sorted(glob.glob(path("phases/*.mlir")))
    assert len(files) == 8, files
    for file in files:
        with open(file) as f:
            text = f.read()
        name = os.path.basename(file)
        assert server.open(name, text) == [], name
        op = "stablehlo.tanh" if name.endswith("input.mlir") else "train.tanh"
        lines = text.split("\n")
        number = next(i for i, line in enumerate(lines) if f"= {op} " in line)
        hover = server.ask("textDocument/hover", {"textDocument": {"uri": f"file:///{name}"},
                                                  "position": {"line": number, "character": lines[number].index(f"= {op} ") + 4}})
        assert op in hover["contents"]["value"], (name, hover)
    broken = text.replace("= train.tanh ", "= train.tanhh ", 1)
    diagnostics = server.open("broken.mlir", broken)
    assert any("train.tanhh" in diagnostic["message"] for diagnostic in diagnostics), diagnostics
    server.ask("shutdown", None)
    server.send("exit", None)
    assert server.process.wait(timeout=10) == 0


run(globals())
