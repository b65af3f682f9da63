// The module: a function from a question to its answer. `outside` has `progress(fraction)` and `now()`, in milliseconds.
async function load(bytes, outside) {
  let module;
  const words = (at, length) => new TextDecoder().decode(new Uint8Array(module.memory.buffer, at, length));
  const failed = (at, length) => {
    throw new Error(words(at, length));
  };
  const { instance } = await WebAssembly.instantiate(bytes, { page: { ...outside, failed } });
  module = instance.exports;
  return question => {
    const asked = new TextEncoder().encode(JSON.stringify(question));
    // Room first: memory that grows is another one.
    const at = module.room(asked.length);
    new Uint8Array(module.memory.buffer, at, asked.length).set(asked);
    return JSON.parse(words(module.answer(), module.answer_bytes()));
  };
}
