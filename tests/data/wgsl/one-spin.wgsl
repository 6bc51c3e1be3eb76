// Planes: word `row * groups + group` holds one bit of 32 states. An invocation works on one
// group of states, `id.x`, under one joint move, `id.y`.
struct Shape {
    groups: u32,
    // How many joint moves there are.
    joints: u32,
}
@group(0) @binding(0) var<uniform> shape: Shape;
// The bits of the keys.
@group(0) @binding(1) var<storage, read> key: array<u32>;
// Whether a move is played: all ones or zero, a row of moves for each joint move.
@group(0) @binding(2) var<storage, read> played: array<u32>;
// What the program says, a row for each output; for the update, of each joint move in turn.
@group(0) @binding(3) var<storage, read_write> said: array<u32>;
// What one piece of a program leaves for the next.
@group(0) @binding(4) var<storage, read_write> held: array<u32>;

@compute @workgroup_size(64)
fn view_0(@builtin(global_invocation_id) id: vec3<u32>) {
    let group = id.x;
    if (group >= shape.groups) {
        return;
    }
    let all = shape.groups * shape.joints;
    let at = id.y * shape.groups + group;
    let moves = id.y * 5u;
    let first = id.y * 8u * shape.groups + group;
    let v0 = key[0u * shape.groups + group];
    let v1 = key[1u * shape.groups + group];
    let v2 = ~v0 & ~v1;
    said[first + 0u * shape.groups] = v2;
    said[first + 1u * shape.groups] = v2;
    said[first + 2u * shape.groups] = v2;
    said[first + 3u * shape.groups] = v2;
    said[first + 4u * shape.groups] = v2;
    said[first + 5u * shape.groups] = ~v2;
    said[first + 6u * shape.groups] = v0;
    said[first + 7u * shape.groups] = v1;
}

@compute @workgroup_size(64)
fn update_0(@builtin(global_invocation_id) id: vec3<u32>) {
    let group = id.x;
    if (group >= shape.groups) {
        return;
    }
    let all = shape.groups * shape.joints;
    let at = id.y * shape.groups + group;
    let moves = id.y * 5u;
    let first = id.y * 3u * shape.groups + group;
    let v0 = key[0u * shape.groups + group];
    let v1 = key[1u * shape.groups + group];
    let v2 = ~v0 & ~v1;
    let v3 = played[moves + 0u];
    let v4 = played[moves + 3u];
    let v5 = v3 & v4;
    let v6 = played[moves + 1u];
    let v7 = played[moves + 4u];
    let v8 = v6 & v7;
    let v9 = played[moves + 2u];
    let v10 = v6 & v9;
    let v11 = ~v8 & ~v10;
    let v12 = ~v5 & v11;
    let v13 = v2 & v12;
    let v14 = ~v2 & v12;
    said[first + 0u * shape.groups] = v13;
    said[first + 1u * shape.groups] = ~v12;
    said[first + 2u * shape.groups] = v14;
}
