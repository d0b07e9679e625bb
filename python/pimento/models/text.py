"""A model as the library reads it: operators of ONNX on named tensors (src/frontend/model/text.h), as bytes."""

import json


class ModelText:
    """Collects inputs, constants, operators and outputs; data() is the text."""

    def __init__(self, name, opset=17):
        self.name, self.opset = name, opset
        self.inputs, self.outputs, self.constants, self.known, self.operators, self.files = [], [], [], [], [], []
        self._contents, self._size = [], 0

    def input(self, name, type, shape):
        self.inputs.append({"name": name, "type": type, "shape": list(shape)})

    def constant(self, name, type, shape, contents):
        """`contents`: row-major bytes."""
        self.constants.append({"name": name, "type": type, "shape": list(shape), "at": self._size})
        self._contents.append(contents)
        self._size += len(contents)

    def operator(self, op, inputs, outputs, attributes, place=None, name="", made=None):
        """`made`: (type, shape) of each output, for an operator that the host is to compute. `place`: (file, line)."""
        row = {"op": op, "name": name, "inputs": list(inputs), "outputs": list(outputs), "attributes": attributes}
        if place is not None:
            if place[0] not in self.files:
                self.files.append(place[0])
            row["place"] = [place[1], 0, self.files.index(place[0])]
        if made is not None:
            row["host"] = True
            self.known += [{"name": n, "type": t, "shape": list(s)} for n, (t, s) in zip(outputs, made)]
        self.operators.append(row)

    def data(self):
        """The text, as bytes."""
        head = {"model": 1, "name": self.name, "opset": self.opset, "files": self.files, "inputs": self.inputs,
                "outputs": self.outputs, "constants": self.constants, "known": self.known,
                "operators": self.operators}
        return json.dumps(head, separators=(",", ":")).encode() + b"\n" + b"".join(self._contents)
