"""Measures: nDCG@10 and hit@1, alone and fused with the lexical ranker, and how well the best cosine separates answerable from unanswerable queries."""
import json, math
import torch

ALPHAS = (0.3, 0.4, 0.5, 0.6, 0.7)


def figures(scores, labels):
    """`scores`: queries × tools; `labels`: per query [[tool, grade]] → (nDCG@10, hit@1)."""
    top = scores.topk(min(10, scores.shape[1]), dim=1).indices.tolist()
    gain = hit = 0.0
    for row, relevant in zip(top, labels):
        grades = dict(map(tuple, relevant))
        ideal = sum((2 ** g - 1) / math.log2(i + 2) for i, g in enumerate(sorted(grades.values(), reverse=True)[:10]))
        gain += sum((2 ** grades[t] - 1) / math.log2(i + 2) for i, t in enumerate(row) if t in grades) / ideal
        hit += row[0] in grades
    return gain / len(labels), hit / len(labels)


def normalise(scores):
    low, high = scores.min(1, keepdim=True).values, scores.max(1, keepdim=True).values
    return (scores - low) / (high - low).clamp(min=1e-6)


def fuse(lexical, meaning, alpha):
    """Scales both scores to 0..1 for each query and adds them; `alpha` is the share of the table."""
    return (1 - alpha) * lexical / lexical.max(1, keepdim=True).values.clamp(min=1e-6) + alpha * normalise(meaning)


def auc(yes, no):
    return ((yes[:, None] > no[None, :]).float().mean() + 0.5 * (yes[:, None] == no[None, :]).float().mean()).item()


class Judge:
    """Holds the labelled sets and the lexical scores; `judge(embed_queries, embed_tools)` → a row of figures per set."""

    def __init__(self, sets, haystack, ranker, device):
        self.sets, self.haystack, self.device, self.lexical = sets, haystack, device, {}
        crowd = ranker(haystack, device) if haystack else None
        for name, judged in sets.items():
            queries = [query for query, _ in judged["queries"]]
            self.lexical[name] = ranker(judged["tools"], device).scores(queries)
            if haystack:
                self.lexical[name + "+"] = torch.cat([ranker(judged["tools"], device, crowd).scores(queries), crowd.scores(queries)], 1)

    def judge(self, embed_queries, embed_tools, deep=True):
        rows, far = {}, embed_tools(self.haystack) if deep and self.haystack else None
        for name, judged in self.sets.items():
            labels = [relevant for _, relevant in judged["queries"]]
            q, d = embed_queries([query for query, _ in judged["queries"]]), embed_tools(judged["tools"])
            near = q @ d.T
            row = {"bm25": figures(self.lexical[name], labels), "alone": figures(near, labels)}
            row["fused"] = {alpha: figures(fuse(self.lexical[name], near, alpha), labels) for alpha in ALPHAS}
            if judged["unanswerable"]:
                row["auc"] = auc(near.max(1).values, (embed_queries(judged["unanswerable"]) @ d.T).max(1).values)
            if far is not None:
                both, lexical = torch.cat([near, q @ far.T], 1), self.lexical[name + "+"]
                row["deep bm25"], row["deep alone"] = figures(lexical, labels), figures(both, labels)
                row["deep fused"] = {alpha: figures(fuse(lexical, both, alpha), labels) for alpha in ALPHAS}
            rows[name] = row
        return rows


def macro(rows, key, alpha=None):
    picked = [row[key] if alpha is None else row[key][alpha] for row in rows.values()]
    return tuple(sum(values) / len(picked) for values in zip(*picked))


def best_alpha(rows, key="fused"):
    return max(ALPHAS, key=lambda alpha: sum(macro(rows, key, alpha)))


def table(rows, title=""):
    """Text for printing: one line per set, nDCG@10/hit@1 in thousandths."""
    show = lambda pair: f"{pair[0]:.3f}/{pair[1]:.3f}"
    deep = "deep fused" in next(iter(rows.values()))
    alpha, far = best_alpha(rows), best_alpha(rows, "deep fused") if deep else None
    lines = [f"## {title}   alpha {alpha}" + (f", in the haystack {far}" if deep else "")]
    for name, row in rows.items():
        line = f"{name:16s} bm25 {show(row['bm25'])}  alone {show(row['alone'])}  fused {show(row['fused'][alpha])}"
        if deep:
            line += f"  | deep: bm25 {show(row['deep bm25'])}  alone {show(row['deep alone'])}  fused {show(row['deep fused'][far])}"
        lines.append(line + (f"  auc {row['auc']:.3f}" if "auc" in row else ""))
    line = f"{'macro':16s} bm25 {show(macro(rows, 'bm25'))}  alone {show(macro(rows, 'alone'))}  fused {show(macro(rows, 'fused', alpha))}"
    if deep:
        line += f"  | deep: bm25 {show(macro(rows, 'deep bm25'))}  alone {show(macro(rows, 'deep alone'))}  fused {show(macro(rows, 'deep fused', far))}"
    return "\n".join(lines + [line])


def languages(file, embed_queries, embed_tools):
    """hit@1 per language on languages.json."""
    own = json.load(open(file, encoding="utf8"))
    tools, rows = embed_tools(own["tools"]), {}
    for language, queries in own["queries"].items():
        best = (embed_queries([query for query, _ in queries]) @ tools.T).argmax(1).tolist()
        rows[language] = sum(found == wanted for found, (_, wanted) in zip(best, queries)) / len(queries)
    return rows
