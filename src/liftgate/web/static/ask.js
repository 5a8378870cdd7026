// Questions to the server that gave this page, and to no other.

export class Refused extends Error {
  constructor(record, field) {
    super(record.value);
    this.record = record;
    this.field = field;
  }
}

const AWAY = { place: "this page", value: "the server does not answer", fix: "start liftgate serve again and open the address it prints" };

export async function ask(path, how = {}) {
  let answer;
  try {
    answer = await fetch(path, how);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(AWAY, null);
  }
  const told = answer.status === 204 ? null : await answer.json();
  if (told?.error) throw new Refused(told.error, told.field);
  return told;
}

export const post = (path, body, how = {}) =>
  ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), ...how });

export const start = (kind, question) => post(`api/${kind}`, question);

// From one state of a job to the next until it is over; tell is called with each.
export async function follow(state, tell, signal) {
  while (state.state === "waiting" || state.state === "working") {
    tell(state);
    state = await ask(`api/jobs/${state.job}?since=${state.version}&wait=5`, { signal });
  }
  return state;
}

export const attach = (job, signal) => ask(`api/jobs/${encodeURIComponent(job)}`, { signal });
export const stop = (job) => ask(`api/jobs/${job}/stop`, { method: "POST" });
export const cancel = (job) => ask(`api/jobs/${job}`, { method: "DELETE" });

export async function upload(file, name = file.name) {
  const asked = new URLSearchParams({ name });
  await ask(`api/uploads?${new URLSearchParams({ name, size: file.size })}`);
  return ask(`api/uploads?${asked}`, { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file });
}
