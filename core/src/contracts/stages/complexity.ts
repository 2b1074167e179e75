import type { Static } from 'typebox'
import * as Type from 'typebox'
import { ByName, ForEach, Fraction, Text, Texts } from '../schema.ts'
import { Topology, TopologyName } from '../words.ts'

/** How hard a task is, and which topology suits it: the answer to `analyze`. */
export const Complexity = Type.Object({
  taskId: Text('the task that was looked at'),
  score: Fraction('how hard, from structure'),
  recommendedTopology: TopologyName,
  confidence: Fraction('how clearly the first topology beats the second'),
  agents: Type.Integer({ minimum: 1, maximum: 20, description: 'how many agents the topology wants' }),
  features: ByName(Type.Number(), { description: 'each feature in [0, 1]' }),
  contributions: ByName(Type.Number(), {
    description: 'weight times feature: the explanation of the score',
  }),
  utilities: ForEach(Topology, Type.Number(), 'what each topology was worth'),
  alternatives: Type.Array(Type.Object({ topology: Topology, utility: Type.Number() }), {
    description: 'the other topologies, best first',
  }),
  estimatedTurns: Type.Number({ minimum: 0, description: 'forecast of model turns' }),
  explanation: Texts('why, in sentences'),
  openQuestions: Texts('what the task leaves open'),
  source: Type.Enum(['lexical', 'llm+lexical', 'calibrated']),
})
export type Complexity = Static<typeof Complexity>
