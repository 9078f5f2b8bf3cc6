"""Opens one clip in every format Toile writes, with readers that are not Toile's.

    check.py FOLDER

FOLDER is what the example `write_samples` of crate toile-io wrote: a folder for each format and expected.json. Every
difference is printed; the exit code says whether there was one.
"""

import json
import struct
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

import numpy as np
import trimesh
import vtk
from pxr import Usd, UsdGeom, UsdValidation
from vtk.util.numpy_support import vtk_to_numpy

# Positions are float32 in all formats but npz: 1.2 m is rounded by 6e-8 at most.
POSITION_TOLERANCE_M = 2e-7
# Means of a few thousand float32 values, summed in another order and, in some readers, in float32.
MEAN_TOLERANCE = 2e-6

folder = Path(sys.argv[1])
expected = json.loads((folder / "expected.json").read_text())
faults = []
compared = 0


def same(what, found, wanted, tolerance=0.0):
    global compared
    compared += 1
    try:
        a, b = np.asarray(found, float), np.asarray(wanted, float)
        good = a.shape == b.shape and bool(np.all(np.abs(a - b) <= tolerance))
    except (TypeError, ValueError):  # names
        good = found == wanted
    if not good:
        faults.append(f"{what}: found {found!s:.200}, expected {wanted!s:.200}")


def bounds(points):
    return [points.min(axis=0), points.max(axis=0)]


def paths(format):
    return [folder / name for name in expected["files"][format]]


def field_means(what, values):
    """Compares {name: array} with the fields of the last frame."""
    for field in expected["fields"]:
        found = values.get(field["name"])
        same(f"{what} has field {field['name']}", found is not None, True)
        if found is not None:
            same(f"{what} {field['name']} count", len(found), field["count"])
            same(f"{what} {field['name']} mean", np.mean(found, dtype=float), field["last_mean"], MEAN_TOLERANCE)


vertices, triangles = expected["vertices"], expected["triangles"]
times = expected["times_s"]
frames = len(times)
parts = expected["parts"]
on_vertices = {f["name"] for f in expected["fields"] if f["on"] == "vertices"}


def glb():
    """trimesh for the scene; numpy for what it does not read: morph targets and their animation."""
    (path,) = paths("glb")
    scene = trimesh.load(path, process=False)
    same("glb triangles", sum(len(g.faces) for g in scene.geometry.values()), triangles)
    same("glb parts", len(scene.geometry), len(parts))
    same("glb base bounds", scene.bounds, expected["bounds_m"][0], POSITION_TOLERANCE_M)
    raw = path.read_bytes()
    same("glb length", struct.unpack("<4sII", raw[:12]), (b"glTF", 2, len(raw)))
    length, kind = struct.unpack("<I4s", raw[12:20])
    same("glb first chunk", (kind, length % 4), (b"JSON", 0))
    document = json.loads(raw[20 : 20 + length])
    binary = raw[28 + length :]

    def array(index):
        accessor = document["accessors"][index]
        view = document["bufferViews"][accessor["bufferView"]]
        width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        dtype = {5126: "<f4", 5125: "<u4", 5123: "<u2"}[accessor["componentType"]]
        same(f"glb accessor {index} alignment", view["byteOffset"] % 4, 0)
        values = np.frombuffer(binary, dtype, accessor["count"] * width, view["byteOffset"]).reshape(-1, width)
        if "min" in accessor:
            same(f"glb accessor {index} bounds", [values.min(axis=0), values.max(axis=0)], [accessor["min"], accessor["max"]])
        return values

    mesh = document["meshes"][0]
    same("glb part names", [p["extras"]["part"] for p in mesh["primitives"]], [p["name"] for p in parts])
    same("glb metres per uv", mesh["extras"]["metres_per_uv"], 1.0)
    area = 0.0
    for k in range(frames):
        posed = []
        for primitive in mesh["primitives"]:
            base = array(primitive["attributes"]["POSITION"])
            normal = array(primitive["attributes"]["NORMAL"])
            if k > 0:
                base = base + array(primitive["targets"][k - 1]["POSITION"])
                normal = normal + array(primitive["targets"][k - 1]["NORMAL"])
            posed.append(base)
            same(f"glb unit normals {k}", np.linalg.norm(normal, axis=1), np.ones(len(normal)), 1e-6)
        # Base plus difference: rounded twice.
        same(f"glb frame {k} bounds", bounds(np.concatenate(posed)), expected["bounds_m"][k], 2 * POSITION_TOLERANCE_M)
    for primitive in mesh["primitives"]:
        uv = array(primitive["attributes"]["TEXCOORD_0"])[array(primitive["indices"]).reshape(-1, 3)]
        edges = uv[:, 1:] - uv[:, :1]
        # v runs downwards in glTF: a triangle seen from the outside is clockwise there.
        area -= 0.5 * np.sum(edges[:, 0, 0] * edges[:, 1, 1] - edges[:, 0, 1] * edges[:, 1, 0], dtype=float)
    same("glb rest area", area, expected["rest_area_m2"], 1e-6)
    sources = np.concatenate([array(p["attributes"]["_SOURCE_VERTEX"]) for p in mesh["primitives"]])
    same("glb source vertices", len(np.unique(sources)), vertices)
    (sampler,) = document["animations"][0]["samplers"]
    same("glb times", array(sampler["input"])[:, 0], times, 1e-6)
    weights = array(sampler["output"]).reshape(frames, frames - 1)
    same("glb weights", weights, np.eye(frames)[:, 1:])


def obj():
    files = paths("obj")
    same("obj frames", len(files), frames)
    for k in (0, frames - 1):
        reader = vtk.vtkOBJReader()
        reader.SetFileName(str(files[k]))
        reader.Update()
        same("obj triangles", reader.GetOutput().GetNumberOfPolys(), triangles)
        mesh = trimesh.load(files[k], process=False, force="mesh")
        same("obj trimesh triangles", len(mesh.faces), triangles)
        same(f"obj frame {k} bounds", mesh.bounds, expected["bounds_m"][k], POSITION_TOLERANCE_M)
    lines = files[-1].read_text().splitlines()
    same("obj vertices", sum(line.startswith("v ") for line in lines), vertices)
    same("obj groups", [line[2:] for line in lines if line.startswith("g ")], [p["name"].replace(" ", "_") for p in parts])


def ply():
    files = paths("ply")
    same("ply frames", len(files), frames)
    mesh = trimesh.load(files[-1], process=False, fix_texture=False)
    same("ply vertices", len(mesh.vertices), vertices)
    same("ply triangles", len(mesh.faces), triangles)
    same("ply bounds", mesh.bounds, expected["bounds_m"][-1], POSITION_TOLERANCE_M)
    raw = mesh.metadata["_ply_raw"]
    vertex, face = raw["vertex"]["data"], raw["face"]["data"]
    values = {f: np.asarray((vertex if f in on_vertices else face)[f]).ravel() for f in (x["name"] for x in expected["fields"])}
    field_means("ply", values)
    normals = np.column_stack([vertex[n] for n in ("nx", "ny", "nz")])
    same("ply normals", np.einsum("ij,ij->i", normals, mesh.vertex_normals) > 0.99, np.ones(vertices))
    reader = vtk.vtkPLYReader()
    reader.SetFileName(str(files[-1]))
    reader.Update()
    same("ply vtk triangles", reader.GetOutput().GetNumberOfPolys(), triangles)


def usda():
    (path,) = paths("usda")
    stage = Usd.Stage.Open(str(path))
    same("usda metres per unit", UsdGeom.GetStageMetersPerUnit(stage), 1.0)
    same("usda up axis", UsdGeom.GetStageUpAxis(stage), "Y")
    root = stage.GetDefaultPrim()
    same("usda default prim", root.GetName(), expected["name"])
    mesh = UsdGeom.Mesh(root.GetChildren()[0])
    same("usda is a mesh", bool(mesh), True)
    per_second = stage.GetTimeCodesPerSecond()
    codes = mesh.GetPointsAttr().GetTimeSamples()
    same("usda times", np.array(codes) / per_second, times, 1e-9)
    same("usda range", (stage.GetStartTimeCode(), stage.GetEndTimeCode()), (codes[0], codes[-1]))
    for k, code in enumerate(codes):
        points = np.array(mesh.GetPointsAttr().Get(code))
        same("usda vertices", len(points), vertices)
        same(f"usda frame {k} bounds", bounds(points), expected["bounds_m"][k], POSITION_TOLERANCE_M)
        same(f"usda frame {k} extent", np.array(mesh.GetExtentAttr().Get(code)), bounds(points))
    counts = np.array(mesh.GetFaceVertexCountsAttr().Get())
    same("usda triangles", (len(counts), counts.max()), (triangles, 3))
    valid, reason = UsdGeom.Mesh.ValidateTopology(
        mesh.GetFaceVertexIndicesAttr().Get(), mesh.GetFaceVertexCountsAttr().Get(), vertices
    )
    same(f"usda topology {reason}", valid, True)
    same("usda subdivision", mesh.GetSubdivisionSchemeAttr().Get(), "none")
    same("usda double sided", mesh.GetDoubleSidedAttr().Get(), True)
    api = UsdGeom.PrimvarsAPI(mesh)
    st = api.GetPrimvar("st")
    same("usda st", (st.GetInterpolation(), len(st.Get())), ("faceVarying", 3 * triangles))
    values = {}
    for field in expected["fields"]:
        primvar = api.GetPrimvar(field["name"])
        wanted = "vertex" if field["on"] == "vertices" else "uniform"
        same(f"usda {field['name']} interpolation", primvar.GetInterpolation(), wanted)
        same(f"usda {field['name']} unit", primvar.GetAttr().GetCustomDataByKey("unit"), field["unit"])
        values[field["name"]] = np.array(primvar.Get(codes[-1]))
    field_means("usda", values)
    subsets = UsdGeom.Subset.GetGeomSubsets(mesh, UsdGeom.Tokens.face, "panels")
    same("usda panels", [(s.GetPrim().GetName(), len(s.GetIndicesAttr().Get())) for s in subsets],
         [(p["name"].replace(" ", "_"), p["triangles"]) for p in parts])
    ok, reason = UsdGeom.Subset.ValidateFamily(mesh, UsdGeom.Tokens.face, "panels")
    same(f"usda family {reason}", ok, True)
    validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    same("usda validators", len(validators) > 5, True)
    errors = UsdValidation.ValidationContext(validators).Validate(stage)
    same("usda validation", [e.GetErrorAsString() for e in errors], [])


def vtp():
    *files, index = paths("vtp")
    sets = xml.parse(index).getroot().findall("./Collection/DataSet")
    same("pvd files", [s.get("file") for s in sets], [f.name for f in files])
    same("pvd times", [float(s.get("timestep")) for s in sets], times, 1e-12)
    for k in (0, frames - 1):
        reader = vtk.vtkXMLPolyDataReader()
        reader.SetFileName(str(files[k]))
        reader.Update()
        data = reader.GetOutput()
        same("vtp vertices", data.GetNumberOfPoints(), vertices)
        same("vtp triangles", data.GetNumberOfPolys(), triangles)
        same(f"vtp frame {k} time", data.GetFieldData().GetArray("TimeValue").GetTuple1(0), times[k], 1e-12)
        points = vtk_to_numpy(data.GetPoints().GetData())
        same(f"vtp frame {k} bounds", bounds(points), expected["bounds_m"][k], POSITION_TOLERANCE_M)
    values = {}
    for field in expected["fields"]:
        attributes = data.GetPointData() if field["on"] == "vertices" else data.GetCellData()
        array = attributes.GetArray(field["name"])
        values[field["name"]] = None if array is None else vtk_to_numpy(array)
    field_means("vtp", values)
    numbers = vtk_to_numpy(data.GetCellData().GetArray("part"))
    same("vtp parts", np.bincount(numbers), [p["triangles"] for p in parts])


def rest_shape(format, path):
    """The mesh beside a cache: same vertices in the same order."""
    lines = path.read_text().splitlines()
    points = np.array([line.split()[1:] for line in lines if line.startswith("v ")], float)
    same(f"{format} rest vertices", len(points), vertices)
    same(f"{format} rest bounds", bounds(points), expected["rest_bounds_m"], POSITION_TOLERANCE_M)


def pc2():
    mesh, path = paths("pc2")
    rest_shape("pc2", mesh)
    raw = path.read_bytes()
    magic, version, points, start, rate, samples = struct.unpack("<12siiffi", raw[:32])
    same("pc2 header", (magic, version, points, samples), (b"POINTCACHE2\0", 1, vertices, frames))
    same("pc2 times at 24 frames a second", (start + rate * np.arange(samples)) / 24, times, 1e-7)
    positions = np.frombuffer(raw, "<f4", offset=32).reshape(samples, points, 3)
    for k in range(frames):
        same(f"pc2 frame {k} bounds", bounds(positions[k]), expected["bounds_m"][k], POSITION_TOLERANCE_M)


def mdd():
    mesh, path = paths("mdd")
    rest_shape("mdd", mesh)
    raw = path.read_bytes()
    same("mdd header", struct.unpack(">ii", raw[:8]), (frames, vertices))
    same("mdd times", np.frombuffer(raw, ">f4", frames, 8), times, 1e-7)
    positions = np.frombuffer(raw, ">f4", offset=8 + 4 * frames).reshape(frames, vertices, 3)
    for k in range(frames):
        same(f"mdd frame {k} bounds", bounds(positions[k]), expected["bounds_m"][k], POSITION_TOLERANCE_M)


def npz():
    (path,) = paths("npz")
    with np.load(path) as data:
        arrays = {name: data[name] for name in data.files}
    same("npz positions", arrays["positions"].shape, (frames, vertices, 3))
    same("npz precision", arrays["positions"].dtype == np.float64, True)
    same("npz triangles", arrays["triangles"].shape, (triangles, 3))
    same("npz times", arrays["times"], times)
    for k in range(frames):
        same(f"npz frame {k} bounds", bounds(arrays["positions"][k]), expected["bounds_m"][k])
    uv = arrays["material"]
    edges = uv[:, 1:] - uv[:, :1]
    area = 0.5 * np.sum(edges[:, 0, 0] * edges[:, 1, 1] - edges[:, 0, 1] * edges[:, 1, 0])
    same("npz rest area", area, expected["rest_area_m2"], 1e-12)
    field_means("npz", {f["name"]: arrays[f["name"]][-1] for f in expected["fields"]})
    about = json.loads(arrays["about"].tobytes())
    same("npz parts", [p["name"] for p in about["parts"]], [p["name"] for p in parts])


checks = [glb, obj, ply, usda, vtp, pc2, mdd, npz]
same("formats", sorted(c.__name__ for c in checks), sorted(expected["files"]))
for check in checks:
    try:
        check()
    except Exception as error:  # a reader that gives up is a fault of the file, with the others still to see
        faults.append(f"{check.__name__}: {type(error).__name__}: {error}")
for fault in faults:
    print(fault)
print(f"{len(checks)} formats, {compared} comparisons, {len(faults)} differences")
sys.exit(1 if faults else 0)
