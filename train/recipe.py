"""The training steps from build/ to a table. train.py runs them once; experiments run them with other settings."""
import gzip, json, os, re
import torch, torch.nn.functional as F
import bm25, student, teacher, vocabulary
from measure import Judge
from tokens import Pieces

FOREIGN = ("foreign", "word")
UNTAUGHT = FOREIGN + ("gloss",)


def read(build, name):
    return json.load(gzip.open(os.path.join(build, f"{name}.json.gz")))


class Bench:
    """All data on the device. The vectors of the teacher are cached, so that several recipes can share them."""

    def __init__(self, build, device, limit=None, log=print):
        self.build, self.device, self.log = build, device, log
        self.docs, self.pairs = read(build, "docs"), read(build, "pairs")
        if limit:
            self.pairs = self.pairs[::max(1, len(self.pairs) // limit)]
            place = {}
            self.pairs = [[*pair[:2], place.setdefault(pair[2], len(place)), *pair[3:]] for pair in self.pairs]
            self.docs = [self.docs[i] for i in place]
        self.minilm = [line.rstrip("\n") for line in open(os.path.join(build, "minilm-vocab.txt"), encoding="utf8")]
        self.reader = teacher.Reader(os.path.join(build, "minilm-vocab.txt"), device)
        self.kind = [pair[0] for pair in self.pairs]
        self.doc = torch.tensor([pair[2] for pair in self.pairs], device=device)
        self.group = torch.tensor([doc[6] for doc in self.docs], device=device)[self.doc]
        texts = {}
        self.same = torch.tensor([texts.setdefault("|".join(self.docs[pair[2]][:3]), len(texts)) for pair in self.pairs], device=device)
        self.kept = torch.ones(len(self.pairs), 6)
        for i, pair in enumerate(self.pairs):
            for letter in pair[3]:
                self.kept[i, student.POSITION[letter]] = 0
        self.kept = self.kept.to(device)
        self.Q = self.reader.ids([pair[4] if len(pair) > 4 else pair[1] for pair in self.pairs], teacher.QUERY)
        self.D = self.reader.ids([teacher.tool_text(self.docs[pair[2]], pair[3]) for pair in self.pairs], teacher.TOOL)
        self.vocabularies, self.cut = {}, {}

    def rows(self, kinds=None, without=()):
        return torch.tensor([i for i, kind in enumerate(self.kind) if kind not in without and (kinds is None or kind in kinds)], device=self.device)

    def judge(self, deep=True):
        sets = read(self.build, "sets")
        return Judge(sets, read(self.build, "haystack") if deep else None, bm25.Ranker, self.device)

    def places(self, rows):
        """Pair number → its index in `rows`, or -1 (also for the pair number -1)."""
        place = torch.full((len(self.pairs) + 1,), -1, dtype=torch.long, device=self.device)
        place[rows] = torch.arange(len(rows), device=self.device)
        return place

    def teach(self, rows, hard=None, weights=None, **settings):
        near = None if hard is None else self.places(rows)[hard[rows]]
        return teacher.train(weights or os.path.join(self.build, "minilm.npz"), self.Q[rows], self.D[rows], self.same[rows], self.group[rows], near, log=self.log, **settings)

    def view(self, model):
        return teacher.encode_all(model, self.Q), teacher.encode_all(model, self.D)

    def near_misses(self, VQ, VD, rows, count=6, pool=40, margin=0.92):
        """Hard negatives: for each pair, wrong tools that teacher and lexical ranker together rank near the query."""
        _, first = torch.unique_consecutive(self.same[rows].sort(stable=True).values, return_inverse=True)
        order = self.same[rows].sort(stable=True).indices
        picked = order[torch.cat([torch.ones(1, dtype=torch.bool, device=self.device), first[1:] != first[:-1]])]
        columns = rows[picked]
        lexical = bm25.Ranker([self.docs[i] for i in self.doc[columns].tolist()], self.device)
        out = torch.full((len(self.pairs), count), -1, dtype=torch.long, device=self.device)
        DV = VD[columns].float()
        for start in range(0, len(rows), 2048):
            part = rows[start:start + 2048]
            near = VQ[part].float() @ DV.T
            words = lexical.scores([self.pairs[i][1] for i in part.tolist()])
            near = near + 0.5 * words / words.max(1, keepdim=True).values.clamp(min=1e-6)
            twin = (self.same[part][:, None] == self.same[columns][None, :]) | (VD[part].float() @ DV.T > margin)
            top = near.masked_fill(twin, -9).topk(pool, 1).indices
            chosen = top[:, torch.linspace(0, pool - 1, count).long()]
            out[part] = columns[chosen]
        return out

    def pieces(self, size, phrases):
        if (size, phrases) not in self.vocabularies:
            if size == 0:
                words = [word if re.match(r"(##)?[^\W_]+$", word) else f"[{i}]" for i, word in enumerate(self.minilm)]
                self.vocabularies[size, phrases] = Pieces(words)
            else:
                self.vocabularies[size, phrases] = Pieces(vocabulary.build(read(self.build, "counts"), self.minilm, size, phrases))
        return self.vocabularies[size, phrases]

    def tokenised(self, pieces):
        if pieces not in self.cut:
            self.cut[pieces] = student.Rows(pieces.encode([pair[1] for pair in self.pairs], 64), self.device), student.field_rows(pieces, self.docs, self.device)
        return self.cut[pieces]

    def start(self, model, pieces, dims, queries, fields):
        """The initial vector of each piece: the principal components of the teacher's vector, weighted by rarity."""
        texts = [piece if not piece.startswith("##") else piece[2:] for piece in pieces.vocabulary]
        table = teacher.encode_all(model, self.reader.ids(texts, 12)).float()
        table = table - table.mean(0)
        torch.manual_seed(0)
        _, _, directions = torch.pca_lowrank(table, min(dims, 384), niter=4)
        vectors = F.normalize(table @ directions, dim=-1)
        count = torch.bincount(torch.cat([queries.flat, fields.flat]), minlength=len(texts)).float() + 1
        weights = 1e-3 / (1e-3 + count / count.sum())
        phrase = torch.tensor([" " in piece for piece in pieces.vocabulary], device=self.device)
        return student.Table(vectors, torch.where(phrase, weights * 0.3, weights).clamp(min=1e-4))

    def learn(self, model, VQ, VD, rows=None, size=29600, phrases=2500, dims=256, hard=None, **settings):
        rows = self.rows() if rows is None else rows
        pieces = self.pieces(size, phrases)
        queries, fields = self.tokenised(pieces)
        table = self.start(model, pieces, dims, queries, fields)
        data = {"queries": queries, "rows": rows, "fields": fields, "doc": self.doc[rows], "kept": self.kept[rows], "group": self.group[rows], "same": self.same[rows],
                "VQ": VQ[rows], "VD": VD[rows], "hard": None if hard is None else self.places(rows)[hard[rows]]}
        student.train(table, data, log=self.log, **settings)
        return table, pieces


class Embedder:
    """Embeds texts with the quantized table as the gateway does: adds int8 × scale and normalizes the sum."""

    def __init__(self, pieces, vectors, scale, fields, device):
        self.pieces, self.device, self.fields = pieces, device, fields
        self.table = vectors.float() * scale[:, None]

    @torch.no_grad()
    def queries(self, texts):
        rows = student.Rows(self.pieces.encode(texts, student.QUERY), self.device)
        return student.embed_queries(self.table, rows, torch.arange(len(texts), device=self.device))

    @torch.no_grad()
    def tools(self, tools):
        rows = student.field_rows(self.pieces, tools, self.device)
        return student.embed_tools(self.table, self.fields, rows, torch.arange(len(tools), device=self.device))
