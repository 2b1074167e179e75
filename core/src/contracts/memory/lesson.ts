import type { Static } from 'typebox'
import * as Type from 'typebox'
import { Count, Text, Texts } from '../schema.ts'

/** What a run taught, from verified signals only (Reflexion, Shinn et al., 2023). */
export const Lesson = Type.Object({
  trigger: Text('when it applies'),
  cause: Type.Optional(Text('failure mode, a MAST code where one fits')),
  advice: Text('what to do then'),
  evidence: Texts('events as `<runId>:<seq>`'),
  scope: Type.Optional(Text('where it applies')),
  trust: Type.Optional(
    Type.Enum(['trusted', 'untrusted'], { description: 'untrusted where the run had read what others wrote' }),
  ),
  successes: Count('runs that used it and succeeded'),
  failures: Count('runs that used it and failed'),
})
export type Lesson = Static<typeof Lesson>
