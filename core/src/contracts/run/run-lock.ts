import type { Static } from 'typebox'
import * as Type from 'typebox'
import type { SvcConfig, Tightening } from '../config.ts'
import { ModelInfo } from '../model/model.ts'
import { AgentProfile } from '../plugin/agent-profile.ts'
import type { JsonSchema } from '../schema.ts'
import { ByName, Opaque, Text, Texts } from '../schema.ts'
import { Warning } from '../warning.ts'
import { ToolRisk } from '../words.ts'

/** What a run was made with, so that it can be gone over where neither its config nor its providers and tools are. */
export const RunLock = Type.Object({
  configHash: Text('of the config in force when the run was made'),
  versions: ByName(Type.String(), { description: 'of svc and Node' }),
  config: Opaque<SvcConfig>('what of the config decides how runs go; nothing secret, no code, no provider, no tool'),
  defaultModel: Text('`provider/model`'),
  plugins: Type.Array(
    Type.Object({
      name: Type.String(),
      source: Text('`built in`, or where it was loaded from'),
      stages: Texts('it taps'),
    }),
  ),
  providers: Type.Array(
    Type.Object({
      id: Type.String(),
      deterministic: Type.Optional(Type.Boolean()),
      defaultModel: Type.Optional(Type.String()),
      maxRetries: Type.Optional(Type.Integer({ minimum: 0 })),
      models: Type.Array(ModelInfo),
    }),
  ),
  tools: Type.Array(
    Type.Object({
      id: Type.String(),
      description: Type.String(),
      parameters: Opaque<JsonSchema>('JSON Schema of the arguments'),
      risk: ToolRisk,
      source: Type.String(),
    }),
  ),
  agents: Type.Array(AgentProfile),
  warnings: Type.Array(Warning),
  trustsWorkspace: Type.Boolean(),
  tightening: Type.Optional(Opaque<Tightening>('what an untrusted folder added to the config')),
})
export type RunLock = Static<typeof RunLock>
