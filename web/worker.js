// Answers questions with the module, beside the page. One question at a time.
let loaded;

onmessage = async ({ data }) => {
  try {
    if (data.bytes) loaded = load(data.bytes, { progress: fraction => postMessage({ progress: fraction }), now: () => performance.now() });
    else postMessage({ answer: (await loaded)(data.question) });
  } catch (error) {
    postMessage({ failure: String(error.message ?? error) });
  }
};
