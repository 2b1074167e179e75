/** Plays a case: a scripted model makes its calls with the real tools in a workspace of its own, and says its answer. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { definePlugin, type Plan, type Plugin, type RunEvent, ToolError } from '@svc/core'
import { type Script, scriptedProvider, sequentialPlan } from '@svc/core/testing'
import { httpFetch } from '@svc/plugins'
import { createClient } from '@svc/sdk'
import type { TruthCase } from './truth-case.ts'

/** Stands for `{web}` in calls, task and answers. */
const WEB = 'https://data.example.org'

/** A case with the address of its web in place. */
export const toWorld = (given: TruthCase): TruthCase =>
  JSON.parse(JSON.stringify(given).replaceAll('{web}', WEB)) as TruthCase

/** The log of a run that makes the calls of a case and gives its answer; nothing judges it. */
export async function playCase(given: TruthCase): Promise<readonly RunEvent[]> {
  const one = toWorld(given)
  const folder = mkdtempSync(join(tmpdir(), 'svc-truth-'))
  const cwd = join(folder, 'project')
  try {
    makeWorkspace(cwd, one)
    const denied = (one.deny ?? []).map((tool) => ({ tool, decision: 'deny' as const }))
    const allowed = (one.tools ?? []).map(({ name }) => ({ tool: name, decision: 'allow' as const }))
    const rules = [...denied, ...allowed.filter(({ tool }) => one.deny?.includes(tool) !== true)]
    const client = await createClient({
      env: { HOME: join(folder, 'home'), PATH: process.env.PATH ?? '' },
      cwd,
      config: { model: 'scripted/scripted', tools: { http_fetch: false }, policy: { default: 'allow', rules } },
      plugins: [scripted(one), pretended(one)],
    })
    const events: RunEvent[] = []
    client.onEvent((event) => events.push(event))
    try {
      await client.run(one.task, { memory: false, reflect: false, ...toPlan(one) })
      return events
    } finally {
      await client.disconnect()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function makeWorkspace(cwd: string, { files = {}, git = false }: TruthCase): void {
  mkdirSync(cwd, { recursive: true })
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true })
    writeFileSync(join(cwd, name), content, { mode: content.startsWith('#!') ? 0o755 : 0o644 })
  }
  if (!git) return
  const who = ['-c', 'user.name=Dana Example', '-c', 'user.email=dana@example.org']
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '-A'],
    [...who, 'commit', '-q', '--allow-empty', '-m', 'Begin'],
  ])
    execFileSync('git', args, { cwd, env: { PATH: process.env.PATH ?? '', HOME: cwd, GIT_CONFIG_NOSYSTEM: '1' } })
}

/** Makes the calls of the part it is asked about, one in each answer, and says the part's answer after the last. */
function scripted({ calls = [], agents, answer }: TruthCase): Plugin {
  const script: Script = ({ messages }) => {
    const asked = messages.find(({ role }) => role === 'user')?.content.find((part) => part.type === 'text')?.text ?? ''
    const part = (agents ?? [{ objective: '', calls, answer }]).find(({ objective }) => asked.startsWith(objective))
    const next = part?.calls[messages.filter(({ role }) => role === 'tool').length]
    return next === undefined ? (part?.answer ?? answer) : { toolCalls: [{ tool: next.tool, args: next.args }] }
  }
  return definePlugin('truth-model', ({ providers }) =>
    providers.add('scripted', scriptedProvider('scripted', script)),
  )()
}

/** The tools that the case brings, the ones it denies, and a web of its own. */
function pretended({ tools = [], web = {} }: TruthCase): Plugin {
  const pages: typeof fetch = async (input) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const page = web[url.pathname + url.search] ?? web[url.pathname]
    if (url.origin !== WEB || page === undefined) return new Response('Not Found', { status: 404 })
    return new Response(page.body, {
      status: page.status ?? 200,
      headers: { 'content-type': page.type ?? 'text/plain' },
    })
  }
  return definePlugin('truth-tools', (host) => {
    host.tools.add('http_fetch', {
      ...httpFetch,
      run: (args, context) => httpFetch.run(args, { ...context, fetch: pages }),
    })
    for (const { name, description = name, risk = 'network', parameters = {}, results } of tools) {
      const left = [...results]
      host.tools.add(name, {
        id: name,
        description,
        risk,
        parameters: {
          type: 'object',
          properties: Object.fromEntries(
            Object.entries(parameters).map(([key, type]) => [key, typeof type === 'string' ? { type } : type]),
          ),
        },
        async run() {
          const result = left.length > 1 ? left.shift() : left[0]
          const failed = (result as { error?: unknown } | null)?.error
          if (typeof failed === 'string') throw new ToolError('tool_failed', failed)
          return typeof result === 'string' ? result : JSON.stringify(result)
        },
      })
    }
  })()
}

/** The steps of a team and one that makes their answers one; nothing for one agent. */
function toPlan({ agents = [], topology = 'SEQUENTIAL', task }: TruthCase): { plan?: Plan } {
  if (agents.length === 0) return {}
  const base = sequentialPlan([...agents.map(({ objective }) => objective), task])
  const last = base.steps.length
  const steps = base.steps.map((step, index) => ({
    ...step,
    agentId: `agent-${index + 1}`,
    tools: [...new Set(agents[index]?.calls.map(({ tool }) => tool))],
    dependsOn:
      index === last - 1 ? base.steps.slice(0, -1).map(({ id }) => id) : topology === 'PARALLEL' ? [] : step.dependsOn,
    ...(index === last - 1 ? { role: 'synthesizer' } : {}),
  }))
  const team = steps.map(({ agentId, role }) => ({ agentId, name: agentId, role }))
  return { plan: { ...base, topology, agents: team, steps } }
}
