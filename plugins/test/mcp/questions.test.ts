import { type ChildProcess, fork } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { acceptedContent, inputRequired, McpServer } from '@modelcontextprotocol/server'
import type { McpServerConfig } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import * as z from 'zod'
import { argumentsFor } from '../../../.tools/launch.ts'
import { modern } from '../fixtures/mcp/http.ts'
import { isAlive, plain } from '../fixtures/mcp/programs.ts'
import { callsIn, newPlace, type Place, runtimeWith, scriptOf, tryRun } from '../fixtures/mcp/trials.ts'
import { until } from '../fixtures/until.ts'

const test = suite('what MCP servers ask people and models')
const config = { policy: { rules: [{ tool: 'mcp.*', decision: 'allow' as const }] } }
const travel = { tool: 'mcp.travel.plan', args: {} }
const byHand = (more: object = {}): McpServerConfig =>
  plain({ tools: [{ name: 'plan' }], calls: { plan: 'elicit' }, ...more })

/** A server without sessions that wants to know a city, then a day, and then does its work. */
async function asking() {
  const done: string[] = []
  let calls = 0
  const http = await modern(() => {
    const server = new McpServer({ name: 'travel', version: '1' })
    server.registerTool('plan', { inputSchema: z.object({}) }, async (_args, context) => {
      calls++
      const { inputResponses, requestState } = context.mcpReq
      const city = acceptedContent<{ city: string }>(inputResponses, 'city')?.city ?? requestState<string>()
      const day = acceptedContent<{ day: string }>(inputResponses, 'day')?.day
      const ask = (name: string) =>
        inputRequired.elicit({
          message: `Which ${name}?`,
          requestedSchema: { type: 'object', properties: { [name]: { type: 'string' } }, required: [name] },
        })
      if (city === undefined) return inputRequired({ inputRequests: { city: ask('city') } })
      if (day === undefined) return inputRequired({ inputRequests: { day: ask('day') }, requestState: city })
      done.push(`${city} on ${day}`)
      return { content: [{ type: 'text', text: `planned ${city} on ${day}` }] }
    })
    return server
  })
  return { http, done, calls: () => calls }
}

test('a server with a session asks a person in the middle of a call', async () => {
  const trial = await tryRun({ travel: byHand() }, { config, calls: [travel], answer: () => ({ city: 'Bern' }) })
  assert.equal(trial.asked, ['The MCP server "travel" asks: Which city?\n\nAnswer null to refuse.'])
  assert.is(trial.said[0], 'answer {"action":"accept","content":{"city":"Bern"}}')
})

test('a person may refuse, and nobody is there where nobody is asked', async () => {
  const refused = await tryRun({ travel: byHand() }, { config, calls: [travel], answer: () => null })
  assert.is(refused.said[0], 'answer {"action":"decline"}')
  const alone = await tryRun({ travel: byHand() }, { config, calls: [travel] })
  assert.is(alone.said[0], 'answer {"action":"cancel"}')
})

test('a server without sessions is called again with each answer', async () => {
  const { http, done } = await asking()
  const answer = (prompt: string) => (prompt.includes('city') ? { city: 'Bern' } : { day: 'Monday' })
  const trial = await tryRun({ travel: { url: http.url } }, { config, calls: [travel], answer })
  assert.is(trial.said[0], 'planned Bern on Monday')
  assert.is(trial.asked.length, 2)
  assert.equal(done, ['Bern on Monday'])
  await http.close()
})

/** Begins a run in another process, which is killed while the run waits for a person. */
async function killedWaiting(
  place: Place,
  servers: Record<string, McpServerConfig>,
  waits = 1,
  answers: unknown[] = [],
) {
  const args = argumentsFor(new URL('../fixtures/mcp/waiting-run.ts', import.meta.url))
  const child: ChildProcess = fork(args.at(-1) ?? '', [JSON.stringify({ place, servers, calls: [travel], answers })], {
    execArgv: args.slice(0, -1),
  })
  let count = 0
  const id = await new Promise<string>((resolve, reject) => {
    child.on('message', (message) => {
      if (++count === waits) resolve((message as { id: string }).id)
    })
    child.once('exit', () => reject(new Error('it ended')))
  })
  child.kill('SIGKILL')
  await new Promise((resolve) => child.once('exit', resolve))
  return id
}

/** Goes on with it in this process, whose person answers. */
async function goOn(
  place: Place,
  servers: Record<string, McpServerConfig>,
  id: string,
  answer: (prompt: string) => unknown,
) {
  const runtime = await runtimeWith(servers, place, scriptOf([travel], []), {
    config,
    more: { persist: { dir: join(place.home, 'data') }, leaseMs: 2_000 },
  })
  const asked: string[] = []
  const { runs, approvals } = runtime
  for (let { status } = await runs.wait(id); status === 'waiting'; { status } = await runs.wait(id)) {
    const { waiting } = await runs.get(id)
    if (waiting !== undefined && 'approvals' in waiting) {
      // After a crash the call is under the suspicion of what it may have written itself.
      for (const approval of waiting.approvals)
        await approvals.resolve(approval.id, { decision: 'approve' }).catch(() => {})
    } else if (waiting?.input !== undefined) {
      const { prompt } = waiting.input
      if (asked.at(-1) !== prompt) asked.push(prompt)
      await runs.resume(id, { input: answer(prompt) }).catch(() => {})
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const result = (await runs.result(id)) as { status: string; summary: string }
  await runtime.close()
  return { asked, result }
}

test('a run that waits at a server without sessions goes on after kill -9, and the server is called with the answer', async () => {
  const { http, done, calls } = await asking()
  const place = newPlace()
  const servers = { travel: { url: http.url } }
  const id = await killedWaiting(place, servers)
  assert.is(calls(), 1)
  const answer = (prompt: string) => (prompt.includes('city') ? { city: 'Bern' } : { day: 'Monday' })
  const { asked, result } = await goOn(place, servers, id, answer)
  assert.match(result.summary, 'planned Bern on Monday')
  assert.not.ok(asked.some((prompt) => prompt.startsWith('It is unknown whether')))
  // Once asked what to do, once with the city, once with the day: what was asked was not asked again.
  assert.is(calls(), 3)
  assert.equal(done, ['Bern on Monday'])
  await http.close()
})

test('a run that waits in the middle of a call of a session asks after kill -9 whether to call again', async () => {
  const place = newPlace()
  const file = join(place.home, 'calls.jsonl')
  const pids = join(place.home, 'pids')
  const servers = { travel: byHand({ file, pids }) }
  const id = await killedWaiting(place, servers)
  // The server saw the end of its input.
  const pid = Number(readFileSync(pids, 'utf8').trim())
  await until(() => !isAlive(pid))
  const answer = (prompt: string) =>
    prompt.startsWith('It is unknown whether')
      ? { callId: /\(([^)]+)\)/.exec(prompt)?.[1], choice: 'retry' }
      : { city: 'Bern' }
  const { asked, result } = await goOn(place, servers, id, answer)
  assert.ok(asked.some((prompt) => prompt.startsWith('It is unknown whether mcp.travel.plan was run')))
  assert.match(result.summary, 'answer {"action":"accept","content":{"city":"Bern"}}')
  assert.is(callsIn(file).length, 2)
})

test('a run that waits for a word on a changed tool goes on after kill -9', async () => {
  const place = newPlace()
  const toolsFile = join(place.home, 'tools.json')
  const file = join(place.home, 'calls.jsonl')
  const servers = { travel: plain({ toolsFile, file }) }
  writeFileSync(toolsFile, JSON.stringify([{ name: 'plan', description: 'Plans.' }]))
  await tryRun(servers, { place })
  writeFileSync(toolsFile, JSON.stringify([{ name: 'plan', description: 'Plans otherwise.' }]))
  const id = await killedWaiting(place, servers)
  assert.equal(callsIn(file), [])
  const { asked, result } = await goOn(place, servers, id, () => true)
  assert.ok(asked.every((prompt) => prompt.includes('+Plans otherwise.')))
  assert.match(result.summary, 'did plan')
  assert.is(callsIn(file).length, 1)
})

test('a server may use a model where a person allows it, within a share of the budget', async () => {
  const sampling = plain({ tools: [{ name: 'plan' }], calls: { plan: 'sample' } })
  const allowed = await tryRun({ travel: sampling }, { config, calls: [travel], answer: () => true })
  assert.match(allowed.asked[0] ?? '', /wants a model to answer this, at your cost: .*Say a word/)
  assert.match(allowed.said[0] ?? '', '"role":"assistant"')
  const refused = await tryRun({ travel: sampling }, { config, calls: [travel], answer: () => false })
  assert.match(refused.said[0] ?? '', 'nobody allowed it')
  const alone = await tryRun({ travel: sampling }, { config, calls: [travel] })
  assert.match(alone.said[0] ?? '', 'nobody allowed it')
})

test('a server gets the workspace as its root', async () => {
  const place = newPlace()
  const rooted = plain({ tools: [{ name: 'plan' }], calls: { plan: 'roots' } })
  const trial = await tryRun({ travel: rooted }, { place, config, calls: [travel] })
  assert.match(trial.said[0] ?? '', `file://${place.workspace}`)
})

test.run()
