"""The teacher: MiniLM trained on the pairs, and its vectors of all texts that the student learns from."""
import numpy as np, torch, torch.nn.functional as F
from tokenizers import BertWordPieceTokenizer
import minilm

QUERY, TOOL = 64, 112


def tool_text(doc, drop):
    name, server, first, rest, params, texts = doc[:6]
    parts = [server, "" if "n" in drop else name, ("" if "f" in drop else first) + " " + ("" if "r" in drop else rest[:300]), "" if "p" in drop else params]
    return " | ".join(part for part in parts if part.strip()) or first or name


class Reader:
    def __init__(self, vocabulary, device):
        self.tokenizer, self.device = BertWordPieceTokenizer(vocabulary, lowercase=True), device

    def ids(self, texts, length):
        self.tokenizer.enable_truncation(length)
        out = np.zeros((len(texts), length), np.int32)
        for start in range(0, len(texts), 20000):
            for k, encoding in enumerate(self.tokenizer.encode_batch(texts[start:start + 20000])):
                out[start + k, :len(encoding.ids)] = encoding.ids
        return torch.tensor(out, device=self.device)


def encode(model, ids):
    ids = ids[:, :max(1, int((ids > 0).sum(1).max()))].long()
    mask = (ids > 0).long()
    hidden, weight = model(input_ids=ids, attention_mask=mask).last_hidden_state.float(), mask.unsqueeze(-1)
    return F.normalize((hidden * weight).sum(1) / weight.sum(1).clamp(min=1), dim=-1)


@torch.no_grad()
def encode_all(model, ids, size=4096):
    """Batches texts by length, so that short texts are not padded to the length of long ones."""
    model.eval()
    order = (ids > 0).sum(1).argsort()
    out = torch.empty(len(ids), 384, dtype=torch.half, device=ids.device)
    for start in range(0, len(ids), size):
        rows = order[start:start + size]
        with torch.autocast(ids.device.type, torch.bfloat16):
            out[rows] = encode(model, ids[rows]).half()
    return out


def batches(group, size, together, generator):
    """Pair numbers in batch order; `together` pairs of one server are adjacent, as hard negatives for each other."""
    n = len(group)
    noise = torch.rand(n, generator=generator, device=group.device)
    order = torch.argsort(group.double() + noise)  # by server, in random order within a server
    place = torch.arange(n, device=group.device)
    chunk = place // together
    key = torch.rand(int(chunk[-1]) + 1, generator=generator, device=group.device)[chunk]
    order = order[torch.argsort(key, stable=True)]
    for start in range(0, n - size + 1, size):
        yield order[start:start + size]


def contrast(scores, twin, labels):
    """Contrastive loss in both directions; `twin` marks columns that must not count as negatives."""
    n = len(labels)
    scores = scores.masked_fill(twin, -1e4)
    return (F.cross_entropy(scores, labels) + F.cross_entropy(scores[:, :n].T, labels)) / 2


def train(weights, Q, D, same, group, hard=None, epochs=2, size=1024, rate=8e-5, temperature=0.04, seed=0, log=print):
    """`same`: the number of the pair's tool; `hard`: for each pair, the number of a pair whose tool is a hard negative, or -1."""
    device = Q.device
    torch.manual_seed(seed)
    generator = torch.Generator(device=device).manual_seed(seed)
    model = minilm.load(weights).to(device) if isinstance(weights, str) else weights
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.01)
    steps, step = epochs * (len(Q) // size), 0
    for epoch in range(epochs):
        total = 0.0
        for j in batches(group, size, 8, generator):
            for parameters in optimizer.param_groups:
                parameters["lr"] = rate * min(1, step / 100) * max(0.05, 1 - step / steps)
            columns = j if hard is None else torch.cat([j, hard[j][hard[j] >= 0]])
            with torch.autocast(device.type, torch.bfloat16):
                scores = encode(model, Q[j]) @ encode(model, D[columns]).T / temperature
            twin = same[j][:, None] == same[columns][None, :]
            twin[:, :len(j)] &= ~torch.eye(len(j), dtype=torch.bool, device=device)
            loss = contrast(scores.float(), twin, torch.arange(len(j), device=device))
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            step += 1
            total += loss.item() if step % 20 == 0 else 0
        log(f"teacher epoch {epoch}: loss {total / max(1, step // 20 - (step - steps // epochs) // 20):.3f}")
    return model
