/**
 * What somebody who talks notices of others at work: the answer to a request of the floor while sixteen calls at a time
 * are under way, beside the same request with nobody else at work. Server and callers share the machine.
 */
import { type Call, type CallInput, TOKEN_HEADER } from '@pressel/contract/call';
import { getAllChannels, getUsersInChannel } from '@pressel/contract/channels';
import { getUserById, updateUserData } from '@pressel/contract/users';
import { createApi, type Person } from '@pressel/e2e/harness/api';
import { startPressel } from '@pressel/e2e/harness/server-process';
import { enterFloor, type FloorClient } from '../shared/floor-client.ts';
import { conclude, percentile, round, type Verdict } from '../shared/report.ts';

const AT_ONCE = 16;
const PRESSES = 60;
/** A press is answered within a twentieth of a second, whatever others do. */
const LIMIT_P50_MS = 50;
/** Half of the 300 ms that press to ear may take. */
const LIMIT_P95_MS = 150;
const MEMBERS = 40;

interface Load {
  name: string;
  call(): Promise<unknown>;
}

const server = await startPressel({ LOG_LEVEL: 'error' });
try {
  const api = createApi(server.origin);
  const admin = await api.person('Admin');
  const members: Person[] = [];
  for (let index = 0; index < MEMBERS; index += 1) members.push(await api.person(`Member${index}`, admin.token));
  const { id: channelId, rtcSession } = await api.channel(admin, 'Nord', members);
  const [talker = admin, caller = admin] = members;
  const watch = { holders: new Set<FloorClient>(), violations: 0, releasedAt: 0 };
  const bystander = await enterFloor(server.origin, talker.token, rtcSession, watch, () => undefined);

  const ask = <C extends Call>(call: C, body: CallInput<C>, { token }: Person) => callOf(call, body, token);
  const profile = { id: caller.id, firstName: 'Camille', lastName: 'Martin', pseudo: 'CAM' };
  const loads: Load[] = [
    { name: 'own data', call: ask(getUserById, { userId: caller.id }, caller) },
    { name: 'channels', call: ask(getAllChannels, {}, caller) },
    { name: 'members of a channel', call: ask(getUsersInChannel, { channelId }, caller) },
    { name: 'own profile, changed', call: ask(updateUserData, profile, caller) },
  ];
  const figures: Record<string, unknown> = { idle: spreadOf(await press(bystander)) };
  const verdicts: Verdict[] = [];
  for (const load of loads) {
    const { answers, calls } = await under(load, bystander);
    const spread = spreadOf(answers);
    figures[load.name] = { ...spread, callsMeanwhile: calls };
    verdicts.push(
      {
        what: `${load.name}: request of the floor to its answer, p50`,
        value: spread.p50,
        limit: LIMIT_P50_MS,
        unit: 'ms',
      },
      { what: `${load.name}: the same, p95`, value: spread.p95, limit: LIMIT_P95_MS, unit: 'ms' },
    );
  }
  bystander.close();
  console.log(JSON.stringify(figures, null, 2));
  conclude('bystander', figures, verdicts);
} finally {
  await server.dispose();
}

/** A call of the contract whose answer is taken and not parsed: the callers' own work is not what is measured. */
function callOf<C extends Call>(call: C, body: CallInput<C>, token: string): () => Promise<unknown> {
  const text = JSON.stringify(body);
  return async () => {
    const response = await fetch(`${server.origin}${call.path}`, {
      method: call.method,
      headers: { 'content-type': 'application/json', [TOKEN_HEADER]: token },
      body: text,
    });
    if (!response.ok) throw new Error(`${call.path} answered ${response.status}`);
    return response.arrayBuffer();
  };
}

/** One press after the other, each let go at once. @returns how long the answers took, ms */
async function press(client: FloorClient): Promise<number[]> {
  const answers: number[] = [];
  for (let index = 0; index < PRESSES; index += 1) {
    answers.push((await client.press(false)).answerMs);
    await client.release();
    // Ten presses a second are what the server takes of one socket.
    await new Promise((resolve) => setTimeout(resolve, 120));
  }
  return answers;
}

async function under({ call }: Load, client: FloorClient): Promise<{ answers: number[]; calls: number }> {
  let isOver = false;
  let calls = 0;
  const lane = async () => {
    while (!isOver) {
      await call();
      calls += 1;
    }
  };
  const lanes = Promise.all(Array.from({ length: AT_ONCE }, lane));
  const answers = await press(client);
  isOver = true;
  await lanes;
  return { answers, calls };
}

function spreadOf(durations: readonly number[]) {
  return { p50: round(percentile(durations, 0.5)), p95: round(percentile(durations, 0.95)) };
}
