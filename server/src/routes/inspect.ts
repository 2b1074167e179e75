import { ByName, Complexity, Inspection, ModelInfo, RiskLevel, Texts, Tokens, ToolRisk } from '@svc/core/schema'
import * as Type from 'typebox'
import { ok } from '../http/answer.ts'
import { type Route, route } from './route.ts'

const Text = Type.String()
const Tool = Type.Object({ id: Text, description: Text, risk: ToolRisk, source: Text })
const Provider = Type.Object({
  id: Text,
  models: Type.Array(ModelInfo),
  source: Text,
  defaultModel: Type.Optional(Text),
  error: Type.Optional(Text),
})
const Plugin = Type.Object({ name: Text, stages: Type.Array(Text), mandatory: Type.Boolean(), source: Text })
const Tap = Type.Object({
  hook: Text,
  plugin: Text,
  name: Text,
  stage: Type.Number(),
  mandatory: Type.Boolean(),
  source: Text,
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
    auth: 'key',
    summary: 'Says how hard a task is and which topology suits it.',
    body: AnalyzeBody,
    isNewWork: true,
    answers: { 200: Complexity },
    errors: ['queue_full'],
    handle: async ({ context, body: { task, ...rest } }) =>
      ok(await context.runtime.analyze({ id: 'task', description: task, ...rest })),
  }),
  route({
    method: 'GET',
    path: '/v1/inspect',
    auth: 'key',
    summary: 'What the inspector found in the runs of this process.',
    answers: { 200: Inspection },
    errors: [],
    handle: async ({ context }) => ok(await context.runtime.inspect()),
  }),
  route({
    method: 'GET',
    path: '/v1/plugins',
    auth: 'key',
    summary: 'Which plugin answers which stage, in the order in which they are asked.',
    answers: { 200: Type.Object({ plugins: Type.Array(Plugin), taps: Type.Array(Tap) }) },
    errors: [],
    async handle({ context }) {
      const { plugins, taps } = await context.runtime.describe()
      return ok({ plugins, taps })
    },
  }),
  route({
    method: 'GET',
    path: '/v1/tools',
    auth: 'key',
    summary: 'The tools, with their risk and where they come from.',
    answers: { 200: Type.Object({ data: Type.Array(Tool) }) },
    errors: [],
    handle: async ({ context }) => ok({ data: (await context.runtime.describe()).tools }),
  }),
  route({
    method: 'GET',
    path: '/v1/providers',
    auth: 'key',
    summary: 'The providers and their models, without keys.',
    answers: { 200: Type.Object({ defaultModel: Text, data: Type.Array(Provider) }) },
    errors: [],
    async handle({ context }) {
      const { defaultModel, providers } = await context.runtime.describe()
      return ok({ defaultModel, data: providers })
    },
  }),
  route({
    method: 'GET',
    path: '/v1/config',
    auth: 'key',
    summary: 'The config in force, without secrets, and where each value comes from.',
    hasTag: true,
    answers: { 200: Type.Object({ value: ByName(Type.Unknown()), origin: ByName(Text) }) },
    errors: [],
    handle: async ({ context }) => ok((await context.runtime.describe()).config),
  }),
]
