import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Decision, McpServerConfig, ModelRequest, RunCreate, RunEvent, SvcConfig } from '@svc/core'
import { toText } from '@svc/core'
import type { ScriptedToolCall } from '@svc/core/testing'
import { type ConfiguredRuntime, createRuntime } from '../../src/index.ts'
import { folderOf } from '../fixtures/folder-of.ts'
import { modelOf } from '../fixtures/runs.ts'

/** A person's home and a workspace, both empty. */
export function newPlace(): { workspace: string; home: string; env: Record<string, string | undefined> } {
  const top = folderOf({ 'ws/': '', 'home/': '' })
  const home = join(top, 'home')
  return { workspace: join(top, 'ws'), home, env: { PATH: process.env.PATH, HOME: home, XDG_CONFIG_HOME: home } }
}

export type Place = ReturnType<typeof newPlace>

export interface Tried {
  place?: Place
  config?: SvcConfig
  run?: Partial<RunCreate>
  /** What the model calls, one after the other, each by what came of those before; then it answers what the last one gave. */
  calls?: readonly (ScriptedToolCall | ((said: string) => ScriptedToolCall))[]
  /** What a person says to an approval, and to a question. */
  decide?: (tool: string) => Decision
  answer?: (prompt: string) => unknown
  /** A runtime that goes on after this run. */
  runtime?: ConfiguredRuntime
}

export interface Trial {
  events: readonly RunEvent[]
  /** The first request of the run, as the provider got it. */
  request: ModelRequest
  /** What each call gave the model. */
  said: string[]
  /** Questions that people were asked. */
  asked: string[]
  approvals: string[]
  warnings: { code: string; message: string }[]
}

/** A script that makes calls and then answers. Requests are collected. */
export function scriptOf(calls: NonNullable<Tried['calls']>, requests: ModelRequest[]) {
  return (request: ModelRequest) => {
    requests.push(request)
    const results = request.messages.filter(({ role }) => role === 'tool').map(({ content }) => toText(content))
    const next = calls[results.length]
    if (next === undefined) return `Done: ${results.at(-1) ?? 'nothing'}`
    return { toolCalls: [typeof next === 'function' ? next(results.at(-1) ?? '') : next] }
  }
}

/** A runtime with these servers and a model by script. */
export const runtimeWith = (
  servers: Readonly<Record<string, McpServerConfig>>,
  place: Place,
  script: Parameters<typeof modelOf>[0],
  { config = {}, more = {} }: { config?: SvcConfig | undefined; more?: object } = {},
): Promise<ConfiguredRuntime> =>
  createRuntime(
    { model: 'scripted/scripted', mcpServers: { ...servers }, ...config },
    { workspace: place.workspace, env: place.env, persist: false, plugins: [modelOf(script)], ...more },
  )

/** One run with these servers. */
export async function tryRun(servers: Readonly<Record<string, McpServerConfig>>, tried: Tried = {}): Promise<Trial> {
  const { place = newPlace(), calls = [], config, run = {}, decide, answer } = tried
  const requests: ModelRequest[] = []
  const runtime = await runtimeWith(servers, place, scriptOf(calls, requests), { config })
  try {
    const isAsked = decide !== undefined || answer !== undefined
    const { id } = await runtime.runs.create({
      task: 'Use the tools.',
      topology: 'SINGLE',
      reflect: false,
      consensus: false,
      ...(isAsked && { approval: 'wait' }),
      ...run,
    })
    const events: RunEvent[] = []
    const asked: string[] = []
    const approvals: string[] = []
    for await (const event of runtime.runs.events(id)) {
      events.push(event)
      const { type, data } = event
      if (type === 'approval.requested') {
        approvals.push(data.tool)
        await runtime.approvals.resolve(data.id, decide?.(data.tool) ?? { decision: 'approve' })
      }
      if (type === 'run.waiting' && data.input !== undefined) {
        asked.push(data.input.prompt)
        await runtime.runs.resume(id, { input: answer?.(data.input.prompt) ?? null })
      }
    }
    const said = events.flatMap(({ type, data }) =>
      type === 'tool.completed' ? [String(data.result)] : type === 'tool.failed' ? [`${data.error.code}: ${data.error.message}`] : type === 'tool.denied' ? [`denied: ${data.reason}`] : [],
    )
    const result = (await runtime.runs.result(id)) as { warnings?: Trial['warnings'] }
    const [request] = requests
    if (request === undefined) throw new Error(`the model was not asked: ${JSON.stringify(events.at(-1))}`)
    return { events, request, said, asked, approvals, warnings: result.warnings ?? [] }
  } finally {
    await runtime.close()
  }
}

/** The ids of what a model was offered of servers. */
export const offeredOf = ({ request }: Pick<Trial, 'request'>): string[] =>
  (request.tools ?? []).flatMap(({ id }) => (id.startsWith('mcp.') ? [id] : []))

/** What a server by hand wrote down of its calls. */
export function callsIn(file: string): { name: string; arguments: unknown }[] {
  try {
    const lines = readFileSync(file, 'utf8').split('\n')
    return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))
  } catch {
    return []
  }
}
