"""The student: a table of vectors, one per piece. A text is the sum of its pieces; a tool is the weighted sum of its fields."""
import numpy as np, torch, torch.nn.functional as F
from teacher import batches, contrast

QUERY = 128
LENGTHS = (16, 8, 64, 110, 40, 110)
POSITION = {"n": 0, "f": 2, "r": 3, "p": 4, "t": 5}
START = (1.0, 0.5, 1.0, 0.5, 0.3, 0.2)


class Rows:
    """Ragged lists of numbers on the device: `take(rows)` → (flat ids, offsets)."""

    def __init__(self, lists, device):
        self.length = torch.tensor([len(row) for row in lists], device=device)
        self.start = torch.cumsum(self.length, 0) - self.length
        self.flat = torch.tensor(np.fromiter((i for row in lists for i in row), np.int64, int(self.length.sum())), device=device)

    def take(self, rows):
        length = self.length[rows]
        offsets = torch.cumsum(length, 0) - length
        total = int(length.sum())
        where = torch.repeat_interleave(self.start[rows] - offsets, length, output_size=total) + torch.arange(total, device=rows.device)
        return self.flat[where], offsets


def field_rows(pieces, docs, device):
    """One row per (tool, field): row 6·tool + field."""
    columns = [pieces.encode([doc[f] for doc in docs], LENGTHS[f]) for f in range(6)]
    return Rows([columns[f][i] for i in range(len(docs)) for f in range(6)], device)


class Table(torch.nn.Module):
    def __init__(self, vectors, weights):
        super().__init__()
        self.vectors, self.weights = torch.nn.Parameter(vectors), torch.nn.Parameter(weights.log())
        self.fields = torch.nn.Parameter(torch.tensor(START, device=vectors.device).log())

    def folded(self):
        return F.normalize(self.vectors, dim=-1) * self.weights.exp()[:, None]


def bags(table, rows, numbers, drop=0.0):
    ids, offsets = rows.take(numbers)
    kept = (torch.rand(len(ids), device=ids.device) >= drop).to(table.dtype) if drop > 0 else None
    return F.embedding_bag(ids, table, offsets, mode="sum", per_sample_weights=kept)


def embed_queries(table, rows, numbers, drop=0.0):
    return F.normalize(bags(table, rows, numbers, drop), dim=-1)


def embed_tools(table, weights, rows, numbers, kept=1.0, drop=0.0):
    """Each field is the unit sum of its pieces; a tool is the unit sum of its weighted fields. `kept`: tools × fields, 0 where a field is removed."""
    places = (numbers[:, None] * 6 + torch.arange(6, device=numbers.device)).flatten()
    parts = F.normalize(bags(table, rows, places, drop).view(len(numbers), 6, -1), dim=-1)
    return F.normalize((parts * (weights[None, :] * kept).unsqueeze(-1)).sum(1), dim=-1)


def train(table, data, epochs=20, batch=4096, rate=4e-3, temperature=0.05, teaching=0.05, blend=0.5, drop=0.0, together=8, similar=0.9, kin=0.0, seed=0, log=print):
    """`kin`: weight of the loss on similarities between queries; `data`: queries (Rows of all pairs), rows (the training pairs), fields (Rows); for the training pairs doc, kept, group, same, VQ and VD (the vectors of the teacher), hard (hard negatives or None)."""
    device = data["doc"].device
    torch.manual_seed(seed)
    generator = torch.Generator(device=device).manual_seed(seed)
    optimizer = torch.optim.Adam([{"params": [table.vectors], "lr": rate}, {"params": [table.weights, table.fields], "lr": rate * 2.5}])
    steps = epochs * (len(data["doc"]) // batch)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: max(0.02, 1 - step / steps))
    identity = torch.eye(batch, dtype=torch.bool, device=device)
    for epoch in range(epochs):
        total = count = 0
        for j in batches(data["group"], batch, together, generator):
            columns = j
            if data.get("hard") is not None:
                near = data["hard"][j, epoch % data["hard"].shape[1]]
                columns = torch.cat([j, near[near >= 0]])
            folded = table.folded()
            q = embed_queries(folded, data["queries"], data["rows"][j], drop)
            d = embed_tools(folded, table.fields.exp(), data["fields"], data["doc"][columns], data["kept"][columns], drop)
            scores = q @ d.T / temperature
            VQ, VD = data["VQ"][j].float(), data["VD"][columns].float()
            twin = (data["same"][j][:, None] == data["same"][columns][None, :]) | (data["VD"][j].float() @ VD.T > similar)
            twin[:, :len(j)] &= ~identity
            taught = F.softmax(VQ @ VD.T / teaching, 1)
            loss = blend * contrast(scores, twin, torch.arange(len(j), device=device)) + F.kl_div(F.log_softmax(scores, 1), taught, reduction="batchmean")
            if kin > 0:
                mine, theirs = (q @ q.T / temperature).masked_fill(identity, -1e4), (VQ @ VQ.T / teaching).masked_fill(identity, -1e4)
                loss = loss + kin * F.kl_div(F.log_softmax(mine, 1), F.softmax(theirs, 1), reduction="batchmean")
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total, count = total + loss.detach(), count + 1
        if epoch % 5 == 4 or epoch == epochs - 1:
            log(f"student epoch {epoch}: loss {float(total) / count:.3f} fields {[round(x, 2) for x in table.fields.exp().tolist()]}")
    return table


def average(tables):
    """Averages tables with the same initial vectors: the mean of their weighted vectors and of their field weights."""
    folded = sum(table.folded() for table in tables) / len(tables)
    return folded.detach(), (sum(table.fields.exp() for table in tables) / len(tables)).detach()


def quantise(folded):
    """float table → (int8 vectors, float32 scales)."""
    scale = folded.abs().amax(1).clamp(min=1e-8) / 127
    return (folded / scale[:, None]).round().clamp(-127, 127).to(torch.int8), scale
