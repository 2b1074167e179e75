import {
  ByName,
  Complexity,
  Count,
  ErrorInfo,
  Inspection,
  IsoTime,
  Milliseconds,
  ModelInfo,
  PolicyRule,
  RiskLevel,
  Texts,
  Tokens,
  ToolRisk,
} from '@svc/core/schema'
import * as Type from 'typebox'
import { ok } from '../http/answer.ts'
import { askerOf } from '../keys/runtime-of.ts'
import { type Route, route } from './route.ts'

const Text = Type.String()
const LastError = Type.Optional(ErrorInfo)
const Tool = Type.Object({
  id: Text,
  description: Text,
  risk: ToolRisk,
  source: Text,
  use: Type.Optional(
    Type.Object(
      {
        calls: Count('that were made and have ended'),
        failures: Count('of these'),
        denied: Count('calls that were refused'),
        lastError: LastError,
      },
      { description: 'in this process' },
    ),
  ),
})
const Provider = Type.Object({
  id: Text,
  models: Type.Array(ModelInfo),
  source: Text,
  defaultModel: Type.Optional(Text),
  error: Type.Optional(Text),
  health: Type.Optional(
    Type.Object(
      {
        state: Type.Enum(['unused', 'ok', 'failing', 'resting'], {
          description: 'failing: the last call failed; resting: it cannot be reached, and nothing is sent for a moment',
        }),
        calls: Count('that have ended, a call and its retries as one'),
        failures: Count('of these'),
        lastUsedAt: Type.Optional(IsoTime('when the last one ended')),
        lastError: LastError,
      },
      { description: 'in this process; no provider is called to find it out' },
    ),
  ),
})
const Plugin = Type.Object({ name: Text, stages: Type.Array(Text), mandatory: Type.Boolean(), source: Text })
const Tap = Type.Object({
  hook: Text,
  plugin: Text,
  name: Text,
  stage: Type.Number(),
  mandatory: Type.Boolean(),
  source: Text,
  calls: Count('since the process began, also those that failed'),
  totalMs: Milliseconds('of these calls'),
})
const Policy = Type.Object({
  default: Type.Optional(
    Type.Enum(['allow', 'ask', 'deny'], {
      description: 'of a call that no rule is about: the strictest of all sources; absent: by risk, as `builtIn` says',
    }),
  ),
  defaultSource: Type.Optional(Text),
  rules: Type.Array(
    Type.Object({
      rule: PolicyRule,
      source: Type.String({ description: 'a file, a variable, `flags`, `managed`, or `given by the program`' }),
    }),
    { description: 'in the order in which they are asked; of those that are about a call, the strictest wins' },
  ),
  builtIn: Texts('what holds beside the rules, a sentence each'),
  sandbox: Type.Optional(Type.String({ description: 'what programs run in; absent: the best there is' })),
  root: Type.String({ description: 'absolute path of the folder that tools are confined to' }),
})
const AnalyzeBody = Type.Object(
  {
    task: Type.String({ minLength: 1, maxLength: 200_000 }),
    riskLevel: Type.Optional(RiskLevel),
    tools: Type.Optional(Texts('ids of the tools that it may use')),
    domain: Type.Optional(Type.String()),
    contextTokens: Type.Optional(Tokens('of the material that comes with it')),
  },
  { additionalProperties: false },
)

export const inspectRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/v1/analyze',
    needs: 'submit',
    summary: 'Says how hard a task is and which topology suits it.',
    body: AnalyzeBody,
    isNewWork: true,
    answers: { 200: Complexity },
    errors: ['queue_full'],
    async handle(request) {
      const { task, ...rest } = request.body
      return ok(await request.context.runtime.analyze({ id: 'task', description: task, ...rest }, askerOf(request)))
    },
  }),
  route({
    method: 'GET',
    path: '/v1/inspect',
    needs: 'overview',
    summary: 'What the inspector found in the runs of this process.',
    answers: { 200: Inspection },
    handle: async ({ context }) => ok(await context.runtime.inspect()),
  }),
  route({
    method: 'GET',
    path: '/v1/plugins',
    summary: 'Which plugin answers which stage, in the order in which they are asked.',
    answers: { 200: Type.Object({ plugins: Type.Array(Plugin), taps: Type.Array(Tap) }) },
    async handle({ context }) {
      const { plugins, taps } = await context.runtime.describe()
      return ok({ plugins, taps })
    },
  }),
  route({
    method: 'GET',
    path: '/v1/tools',
    summary: 'The tools, with their risk, where they come from, and how they were used.',
    answers: { 200: Type.Object({ data: Type.Array(Tool) }) },
    handle: async ({ context }) => ok({ data: (await context.runtime.describe()).tools }),
  }),
  route({
    method: 'GET',
    path: '/v1/providers',
    summary: 'The providers, their models and their health, without keys.',
    answers: { 200: Type.Object({ defaultModel: Text, data: Type.Array(Provider) }) },
    async handle({ context }) {
      const { defaultModel, providers } = await context.runtime.describe()
      return ok({ defaultModel, data: providers })
    },
  }),
  route({
    method: 'GET',
    path: '/v1/config',
    summary: 'The config and the policy in force, without secrets, and where each value and rule comes from.',
    hasTag: true,
    answers: { 200: Type.Object({ value: ByName(Type.Unknown()), origin: ByName(Text), policy: Policy }) },
    async handle({ context }) {
      const { config, policy } = await context.runtime.describe()
      return ok({ ...config, policy })
    },
  }),
]
