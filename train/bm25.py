"""The untuned BM25F that the table is fused with: six fields, exact words and lightly stemmed words."""
import functools, math, re
from collections import Counter
import torch
from tokens import words_of

# Scores are rounded to this step, so that sums are exact in any order of additions on a GPU.
STEP = 1 / 1024
WEIGHTS = (2.0, 0.8, 1.0, 0.7, 0.3, 0.3)
STOP = set("a an the of for to in on by with from and or as at is are be this that it its you your i me my can could would do does not if any how what which who will has have need want please help s t m d ll we our us about into some there".split())


def stem(word):
    for ending, rest in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("edly", ""), ("ed", ""), ("es", "e"), ("s", ""), ("ly", ""), ("ment", ""), ("ation", "at"), ("er", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word[:-len(ending)] + rest
            break
    return re.sub(r"(.)\1$", r"\1", re.sub(r"e$", "", word))


@functools.cache
def terms(text):
    words = words_of(text)
    return [word for word in words if word not in STOP], [stem(word) for word in words if word not in STOP]


class Ranker:
    def __init__(self, tools, device="cpu", base=None, k1=1.2, b=0.6):
        """`tools`: rows of six field texts; `base`: a ranker whose word statistics are used instead of those of these tools."""
        counted = [[Counter(mark + word for mark, words in zip("=~", terms(text)) for word in words) for text in fields[:6]] for fields in tools]
        if base is None:
            self.size, self.known, self.df = len(tools), {}, Counter()
            self.mean = [max(1.0, sum(sum(row[f].values()) for row in counted) / max(1, len(counted))) for f in range(6)]
            for row in counted:
                self.df.update(set().union(*row))
        else:
            self.size, self.known, self.df, self.mean = base.size, dict(base.known), base.df, base.mean
        rows, columns, values = [], [], []
        for i, row in enumerate(counted):
            tf = Counter()
            for f, field in enumerate(row):
                length = sum(field.values())
                for word, n in field.items():
                    tf[word] += WEIGHTS[f] * n / (1 - b + b * length / self.mean[f])
            for word, value in tf.items():
                idf = math.log(1 + (self.size - self.df[word] + 0.5) / (self.df[word] + 0.5))
                rows.append(i)
                columns.append(self.known.setdefault(word, len(self.known)))
                values.append(round(idf * value * (k1 + 1) / (k1 + value) * (0.5 if word[0] == "=" else 1.0) / STEP) * STEP)
        shape = (len(tools), max(1, len(self.known)))
        matrix = torch.sparse_coo_tensor(torch.tensor([rows, columns]), torch.tensor(values, dtype=torch.float32), shape, check_invariants=False)
        self.device, self.matrix = device, matrix.to(device).coalesce()

    def scores(self, queries):
        """Queries × tools."""
        places = [(self.known[mark + word], i) for i, query in enumerate(queries) for mark, words in zip("=~", terms(query)) for word in set(words) if mark + word in self.known]
        asked = torch.zeros(self.matrix.shape[1], len(queries), device=self.device)
        if places:
            at = torch.tensor(places, device=self.device)
            asked[at[:, 0], at[:, 1]] = 1
        return torch.sparse.mm(self.matrix, asked).T
