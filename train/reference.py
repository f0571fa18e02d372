"""Writes reference values that the gateway must reproduce: texts with their piece numbers and the first values of their vectors.

usage: python reference.py MODEL.bin OUT.json            200 texts and 20 tools of our own
       python reference.py MODEL.bin OUT.json BUILD      10,000 texts of the training data, for tests outside the repository"""
import json, os, sys
from evaluate import load
from recipe import read

EDGES = ["", " ", "a", "GitHub", "createPullRequest", "snake_case_name", "kebab-case-name", "HTTP/2 over TLS 1.3", "naïve café Ångström", "ÉCOLE SUPÉRIEURE", "ﬁle ﬂow", "Straße", "İstanbul", "ΟΔΟΣ",
         "１２３ ＡＢＣ", "x² + y² = z²", "100€ to $", "3.14159", "2026-11-15T13:37:00Z", "e-mail@example.org", "https://example.org/a/b?c=d&e=f#g", "it's what's-his-name's", "don't", "🌧️ rain ☔", "👩‍💻 code",
         "天气预报", "GitHub仓库のissueを作成", "メールを送信してください", "ｶﾀｶﾅ", "데이터베이스 쿼리 실행", "한국어", "привет, мир", "Ёлка", "नमस्ते दुनिया", "مرحبا بالعالم", "שלום עולם", "สวัสดีชาวโลก", "Việt Nam", "zażółć gęślą jaźń",
         "supercalifragilisticexpialidocious", "a" * 41, "kubernetes postgres kubectl", "pull request pull request", "the of and to", "\t tab\nline\r\nend ", "\u0000null\u200bzero width", "…—–„“”", "C++ C# F# .NET", "s3 ec2 k8s i18n", "1 22 333 4444 55555"]
VERBS = "create list delete update search read send convert schedule restart translate summarize download compare archive".split()
NOUNS = "a pull request on github|all files in the folder|my calendar event|the database table|an invoice for the customer|a message to the team channel|stock prices|the kubernetes pod|a picture|the weather for tomorrow".split("|")


def texts_of_ours(folder):
    spoken = [query for queries in json.load(open(os.path.join(folder, "languages.json"), encoding="utf8"))["queries"].values() for query, _ in queries]
    made = [f"{verb} {noun}" for i, verb in enumerate(VERBS) for j, noun in enumerate(NOUNS) if (i + j) % 2 == 0]
    return (EDGES + spoken + made)[:200]


def head(rows):
    return [[round(value, 5) for value in row[:8]] for row in rows.tolist()]


if __name__ == "__main__":
    embedder, here = load(sys.argv[1]), os.path.dirname(os.path.abspath(__file__))
    if len(sys.argv) > 3:
        texts = sorted({pair[1] for pair in read(sys.argv[3], "pairs")})
        texts, tools = texts[::max(1, len(texts) // 10000)][:10000], read(sys.argv[3], "haystack")[::20][:1000]
    else:
        texts, tools = texts_of_ours(here), json.load(open(os.path.join(here, "languages.json"), encoding="utf8"))["tools"]
    ids, vectors = embedder.pieces.encode(texts, 128), head(embedder.queries(texts))
    rows = [json.dumps({"text": text, "ids": row, "vector": vector}, ensure_ascii=False) for text, row, vector in zip(texts, ids, vectors)]
    fields = [json.dumps({"fields": tool[:6], "vector": vector}, ensure_ascii=False) for tool, vector in zip(tools, head(embedder.tools(tools)))]
    with open(sys.argv[2], "w", encoding="utf8") as out:
        out.write('{"texts":[\n' + ",\n".join(rows) + '\n],"tools":[\n' + ",\n".join(fields) + "\n]}\n")
