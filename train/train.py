"""build/ → the model file: trains the teacher and three students, averages the students, writes the file and evaluates it.

usage: python train.py BUILD OUT.bin [cpu|cuda]"""
import json, os, sys, time
import torch
import modelfile, student
from measure import best_alpha, languages, macro, table
from recipe import Bench, Embedder, UNTAUGHT

STUDENT = {"epochs": 20, "batch": 4096, "rate": 4e-3, "temperature": 0.05, "teaching": 0.05, "blend": 0.5, "kin": 1.0, "drop": 0.1, "together": 8}
SIZE, PHRASES, DIMS, SEEDS = 29600, 2500, 256, (0, 1, 2)
ORIGIN = ("Trained from sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0). The training data is named in train/README.md; none of its text is in this file.")


def teach(bench):
    """One epoch with other tools of the same server as negatives, then one with hard negatives of teacher and lexical ranker."""
    rows = bench.rows(without=UNTAUGHT)
    model = bench.teach(rows, epochs=1, size=1024)
    hard = bench.near_misses(*bench.view(model), rows)
    return bench.teach(rows, hard=hard[:, 1], weights=model, epochs=1, size=1024, rate=5e-5), hard


def run(build, out, device, limit=None):
    started = time.time()
    log = lambda text: print(f"{time.time() - started:5.0f} s  {text}", flush=True)
    torch.backends.cuda.matmul.allow_tf32 = True
    # Makes runs on the same type of device reproducible; run.sh sets the variable that cuBLAS needs for it.
    torch.use_deterministic_algorithms(True)
    torch.utils.deterministic.fill_uninitialized_memory = False
    bench = Bench(build, device, limit, log)
    model, hard = teach(bench)
    VQ, VD = bench.view(model)
    learnt = [bench.learn(model, VQ, VD, size=SIZE, phrases=PHRASES, dims=DIMS, hard=hard, seed=seed, **STUDENT) for seed in SEEDS]
    pieces = learnt[0][1]
    folded, fields = student.average([table for table, _ in learnt])
    vectors, scales = student.quantise(folded)
    embedder = Embedder(pieces, vectors, scales, fields, device)
    rows = bench.judge().judge(embedder.queries, embedder.tools)
    spoken = languages(os.path.join(os.path.dirname(__file__), "languages.json"), embedder.queries, embedder.tools)
    print(table(rows, os.path.basename(out)), "\nlanguages", spoken, flush=True)
    write(out, bench, pieces, vectors, scales, fields, rows)
    log(f"wrote {out}, {os.path.getsize(out):,} bytes")


def write(out, bench, pieces, vectors, scales, fields, rows):
    share, pair = best_alpha(rows), lambda value: [round(x, 3) for x in value]
    figures = {name: {"alone": pair(row["alone"]), "fused": pair(row["fused"][share]), **({"auc": round(row["auc"], 3)} if "auc" in row else {})} for name, row in rows.items()}
    header = {
        "name": "tools",
        "origin": ORIGIN,
        "license": "Apache-2.0",
        "tokenizer": {"longestWord": 40, "continuation": "##", "alone": ["Han", "Hiragana"], "queryPieces": student.QUERY, "joins": json.load(open(os.path.join(bench.build, "meta.json")))["joins"]},
        "fields": [{"name": name, "weight": round(weight, 4), "pieces": length} for name, weight, length in zip(("name", "server", "first", "rest", "params", "paramTexts"), fields.tolist(), student.LENGTHS)],
        "figures": {"measure": "nDCG@10, hit@1; queries of held-out tools; fused with the BM25F of train/bm25.py", "share": share, "macro": {"alone": pair(macro(rows, "alone")), "fused": pair(macro(rows, "fused", share))}, "sets": figures},
    }
    modelfile.write(out, header, pieces.vocabulary, vectors.cpu().numpy(), scales.cpu().numpy())


if __name__ == "__main__":
    run(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "cuda", int(os.environ.get("TRAIN_LIMIT", 0)) or None)
