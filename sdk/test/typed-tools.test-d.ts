/** Tools and outputs have the types that their schemas say. Checked by the compiler, never run. */
import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as Type from 'typebox'
import * as v from 'valibot'
import { z } from 'zod'
import {
  type ApprovalAnswer,
  type ClientRunOptions,
  createClient,
  defineTool,
  type ExecutionResult,
} from '../src/index.ts'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const yes = <_ extends true>(): void => {}

const weather = { id: 'weather', description: 'The weather of a city.' }

export const ofZod = defineTool({
  ...weather,
  parameters: z.object({
    city: z.string(),
    days: z.number().default(1),
    on: z.string().transform((text) => text.length),
  }),
  output: z.object({ celsius: z.number() }),
  needsApproval: ({ days }) => days > 7,
  preview: async ({ city }) => city,
  run(args, { signal }) {
    yes<Equal<typeof args, { city: string; days: number; on: number }>>()
    signal.throwIfAborted()
    return { celsius: 7 }
  },
})

export const ofValibot = defineTool({
  ...weather,
  parameters: toStandardJsonSchema(v.object({ city: v.string(), days: v.optional(v.number()) })),
  run(args) {
    yes<Equal<typeof args, { city: string; days?: number | undefined }>>()
  },
})

export const ofArkType = defineTool({
  ...weather,
  parameters: type({ city: 'string', 'days?': 'number' }),
  run(args) {
    yes<Equal<typeof args, { city: string; days?: number }>>()
  },
})

export const ofTypeBox = defineTool({
  ...weather,
  parameters: Type.Object({ city: Type.String(), unit: Type.Optional(Type.Enum(['C', 'F'])) }),
  run(args) {
    yes<Equal<typeof args, { city: string; unit?: 'C' | 'F' }>>()
  },
})

export const ofJsonSchema = defineTool({
  ...weather,
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' }, unit: { enum: ['C', 'F'] } },
    required: ['city'],
  },
  run(args) {
    yes<Equal<typeof args.city, string>>()
    yes<Equal<typeof args.unit, 'C' | 'F' | undefined>>()
  },
})

defineTool({
  ...weather,
  parameters: z.object({ city: z.string() }),
  output: z.object({ celsius: z.number() }),
  // @ts-expect-error: it returns something else
  run: () => ({ celsius: 'warm' }),
})
// @ts-expect-error: there is no such risk
defineTool({ ...weather, parameters: z.object({}), risk: 'some', run: () => 1 })

export async function use(): Promise<void> {
  const client = await createClient({
    tools: [ofZod, ofValibot],
    onApproval: ({ tool }) => (tool === 'weather' ? 'approve' : 'deny'),
  })
  const typed = await client.run('How warm?', { outputSchema: z.object({ warm: z.boolean() }) })
  yes<Equal<typeof typed.output, { warm: boolean } | undefined>>()
  yes<Equal<typeof typed.summary, string>>()
  const plain = await client.run('How warm?', {
    outputSchema: { type: 'object', properties: { warm: { type: 'boolean' } }, required: ['warm'] },
  })
  yes<Equal<NonNullable<typeof plain.output>['warm'], boolean>>()
  const none = await client.run('How warm?')
  yes<Equal<typeof none, ExecutionResult>>()
  const options: ClientRunOptions = { riskLevel: 'low' }
  yes<Equal<Awaited<ReturnType<typeof later>>, ExecutionResult>>()
  async function later() {
    return client.run('How warm?', options)
  }
  const stream = client.stream('How warm?', { outputSchema: Type.Object({ warm: Type.Boolean() }) })
  yes<Equal<NonNullable<Awaited<typeof stream.result>['output']>, { warm: boolean }>>()
  const edited: ApprovalAnswer = { decision: 'approve', args: { city: 'Oslo' }, note: 'nearer' }
  void edited
}
