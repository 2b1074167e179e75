/**
 * The four tasks that runtimes for agents are compared by, through the public SDK of svc and nothing below it:
 * one agent with a tool, a coordinator with eight parallel agents and a merge, a chain of agents, a streamed answer.
 *
 * Every stage of the pipeline and every default plugin is on. The tasks are independent of one another, so no run
 * is given what earlier runs found (`persistSessions: false`): the prompts of `tasks` reach the model word for word and
 * alone.
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, definePlugin } from '@svc/sdk'

/** Model calls of a run are bounded by its budget; a comparison should measure work, not where a budget ends. */
const TOKEN_BUDGET = 10_000_000
/** How many runs may be under way at once. */
const RUNS_AT_ONCE = 256

/**
 * @param {object} options
 * @param {string} options.baseURL of a server of OpenAI's chat completions, with its version path
 * @param {string} [options.origin] of the same server, without path; used where there is no `baseURL`
 * @param {string} options.apiKey
 * @param {string} options.model
 * @param {object} options.tasks the prompts: `key`, `single`, `tool`, `plan`, `synth`, `CHAIN`, `stage`, `streamer`
 * @param {string} [options.variant] where runs live: `sqlite` in a file of `workDir` or of a new folder, `pg` in the
 *   PostgreSQL that `env.BENCH_PG` names, anything else in memory
 * @param {string} [options.workDir] folder that tools would be confined to
 * @param {object} [options.settings] more options of the client, for accounting
 * @param {Record<string, string>} [options.env] variables to read instead of the process's
 */
export async function create({ baseURL, origin, apiKey, model, variant, tasks, workDir, settings = {}, env = {} }) {
  const { key: keyOf, single, tool, plan, synth, CHAIN, stage, streamer } = tasks
  const client = await createClient({
    config: { server: { limits: { runningRuns: RUNS_AT_ONCE } }, ...storeOf(variant, workDir, env) },
    baseUrl: baseURL ?? `${origin}/v1`,
    apiKey,
    model,
    tokenBudget: TOKEN_BUDGET,
    persistSessions: false,
    plugins: [toolPlugin(tool)],
    env,
    ...(workDir === undefined ? {} : { cwd: workDir }),
    ...settings,
  })
  const agents = {
    single: toAgent('single', single),
    plan: toAgent('coordinator', plan),
    synth: toAgent('synthesizer', synth),
    streamer: toAgent('streamer', streamer),
    stages: Array.from({ length: CHAIN }, (_, index) =>
      toAgent(`stage-${index + 1}`, { name: stage.name(index + 1), system: stage.system(index + 1) }),
    ),
  }
  const withTool = { allow: [tool.name] }
  const withoutTools = { allow: [] }

  async function run(task, options) {
    const { summary } = await client.run(task, { topology: 'SINGLE', throwOnFailure: true, ...options })
    return summary
  }

  return {
    /** One agent that calls the tool and answers. */
    single: (id) => run(single.user(keyOf(id)), { agents: [agents.single], tools: withTool }),

    /** A coordinator names the parts, an agent with the tool does each of them at once with the others, one merges. */
    async fanout(id) {
      const keys = plan.parse(await run(plan.user(id), { agents: [agents.plan], tools: withoutTools }))
      const parts = keys.map((key, index) => toStep(index, single.user(key), agents.single, { tools: [tool.name] }))
      const dependsOn = parts.map((part) => part.id)
      // The results stand where the steps are named; each is put in when its step is done.
      const request = synth.user(id, dependsOn.map(outputOf))
      const merge = toStep(parts.length, request, agents.synth, { dependsOn, role: 'synthesizer' })
      return run(plan.user(id), {
        topology: 'PARALLEL',
        agents: [agents.single, agents.synth],
        tools: withTool,
        plan: toPlan('PARALLEL', [...parts, merge]),
      })
    },

    /** Agents one after the other, each working on what the one before it wrote. */
    chain(id) {
      const steps = agents.stages.map((agent, index) =>
        index === 0
          ? toStep(index, stage.user(stage.seed(id)), agent)
          : toStep(index, stage.user(outputOf(`step-${index}`)), agent, { dependsOn: [`step-${index}`] }),
      )
      return run(steps[0].objective, {
        topology: 'SEQUENTIAL',
        agents: agents.stages,
        tools: withoutTools,
        plan: toPlan('SEQUENTIAL', steps),
      })
    },

    /** One answer, read as it comes. */
    async stream(id, n, onDelta) {
      const events = client.stream(streamer.user(id, n), {
        topology: 'SINGLE',
        agents: [agents.streamer],
        tools: withoutTools,
        throwOnFailure: true,
      })
      for await (const { type, data } of events) if (type === 'message.delta') onDelta(data.text)
      return (await events.result).summary
    },

    close: () => client.disconnect(),
  }
}

/** @throws Error for `pg` without an address */
function storeOf(variant, workDir, { BENCH_PG: url }) {
  if (variant === 'sqlite') return { store: { dir: mkdtempSync(join(workDir ?? tmpdir(), 'svc-peer-')) } }
  if (variant !== 'pg') return {}
  if (url === undefined) throw new Error('variant pg needs env.BENCH_PG, the address of a PostgreSQL')
  return { store: { url } }
}

/** Stands in an objective for the output of a step. */
const outputOf = (stepId) => `{{${stepId}}}`

/** An agent whose system message is the task's, word for word. */
const toAgent = (id, { name, system }) => ({ id, name, instructions: system })

function toStep(index, objective, { id: profileId }, more) {
  return {
    id: `step-${index + 1}`,
    objective,
    agentId: `agent-${index + 1}`,
    profileId,
    role: 'worker',
    dependsOn: [],
    inputs: [],
    acceptance: [],
    tools: [],
    estimatedTokens: 1_000,
    risk: 'read',
    maxTries: 1,
    ...more,
  }
}

/** A plan whose every step has an agent of its own. */
const toPlan = (topology, steps) => ({
  id: 'plan-1',
  topology,
  agents: steps.map(({ agentId, profileId, role }) => ({ agentId, name: profileId, role, profileId })),
  steps: steps.map(({ profileId: _, ...step }) => step),
  source: 'user',
  criticalPath: [],
  warnings: [],
})

const toolPlugin = definePlugin('peer-tool', (host, { name, description, parameters, run }) =>
  host.tools.add(name, { id: name, description, parameters, risk: 'read', run: async (args) => run(args) }),
)
