"""all-MiniLM-L6-v2 from its q4 ONNX file: `python minilm.py FOLDER OUT.npz` packs the weights, `load` builds the network."""
import os, struct, sys
import numpy as np

KINDS = {1: np.float32, 2: np.uint8, 7: np.int64, 10: np.float16}


def messages(raw):
    """The fields of one protobuf message: (number, value), where value is an integer or bytes."""
    at, end = 0, len(raw)

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = raw[at]
            at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7

    while at < end:
        key = varint()
        wire = key & 7
        if wire == 0:
            yield key >> 3, varint()
        elif wire == 2:
            size = varint()
            at += size
            yield key >> 3, raw[at - size:at]
        else:
            size = 8 if wire == 1 else 4
            at += size
            yield key >> 3, raw[at - size:at]


def varints(raw):
    values, value, shift = [], 0, 0
    for byte in raw:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            values.append(value)
            value = shift = 0
    return values


def tensors(folder):
    """name → array, of every initializer of model_q4.onnx (ModelProto 7 → GraphProto 5 → TensorProto)."""
    model = open(os.path.join(folder, "model_q4.onnx"), "rb").read()
    data = open(os.path.join(folder, "model_q4.onnx_data"), "rb").read()
    graph = next(value for number, value in messages(model) if number == 7)
    for number, value in messages(graph):
        if number != 5:
            continue
        dims, kind, name, raw, outside = [], 1, "", b"", {}
        for field, part in messages(value):
            if field == 1:
                dims += [part] if isinstance(part, int) else varints(part)
            elif field == 2:
                kind = part
            elif field == 4:
                raw = bytes(part) if len(part) != 4 else raw + part
            elif field == 8:
                name = part.decode()
            elif field == 9:
                raw = part
            elif field == 13:
                pair = dict(messages(part))
                outside[pair[1].decode()] = pair[2].decode()
        if "length" in outside:
            start = int(outside.get("offset", 0))
            raw = data[start:start + int(outside["length"])]
        if kind in KINDS and raw:
            yield name, np.frombuffer(raw, KINDS[kind]).reshape(dims)


def pack(folder, out):
    packed = {}
    for name, array in tensors(folder):
        packed[name] = array.astype(np.float16) if array.dtype == np.float32 and array.size > 250_000 else array
    np.savez_compressed(out, **packed)


def load(file):
    import torch
    from transformers import BertConfig, BertModel

    stored = np.load(file)
    tensor = lambda name: torch.tensor(stored[name].astype(np.float32))

    def linear(name):
        """MatMulNBits: 4 bits, blocks of 32, zero point 8, low nibble first."""
        packed, scales = stored[name + "_Q4"], stored[name + "_scales"].astype(np.float32)
        rows, blocks = packed.shape[:2]
        values = np.stack([packed & 15, packed >> 4], -1).astype(np.float32).reshape(rows, blocks, -1) - 8
        return torch.tensor((values * scales.reshape(rows, blocks, 1)).reshape(rows, -1))

    # On a GPU, fused attention has no fixed order of additions.
    config = BertConfig(attn_implementation="eager", vocab_size=30522, hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536)
    model = BertModel(config, add_pooling_layer=False)
    state = model.state_dict()
    for kind in ("word", "position", "token_type"):
        state[f"embeddings.{kind}_embeddings.weight"] = tensor(f".model.embeddings.{kind}_embeddings.weight")
    for part in ("weight", "bias"):
        state[f"embeddings.LayerNorm.{part}"] = tensor(f"model.layers.-1.embeddings_norm_layernorm.{part}")
    for i in range(6):
        source, target = f"model.layers.{i}.", f"encoder.layer.{i}."
        for a, b in (("attn.q_proj", "attention.self.query"), ("attn.k_proj", "attention.self.key"), ("attn.v_proj", "attention.self.value"),
                     ("attn.o_proj", "attention.output.dense"), ("mlp.fc1", "intermediate.dense"), ("mlp.fc2", "output.dense")):
            state[target + b + ".weight"], state[target + b + ".bias"] = linear(source + a + ".MatMul.weight"), tensor(source + a + ".Add.bias")
        for a, b in (("attention_output_norm_layernorm", "attention.output.LayerNorm"), ("mlp_output_norm_layernorm", "output.LayerNorm")):
            for part in ("weight", "bias"):
                state[f"{target}{b}.{part}"] = tensor(f"{source}{a}.{part}")
    model.load_state_dict(state)
    return model


if __name__ == "__main__":
    pack(*sys.argv[1:3])
