import type { Detector } from '../detector.ts'
import { budgetBurn } from './budget-burn.ts'
import { chunkLoop } from './chunk-loop.ts'
import { disallowedTool } from './disallowed-tool.ts'
import { errorsInARow } from './errors-in-a-row.ts'
import { monologue } from './monologue.ts'
import { nearRepetition } from './near-repetition.ts'
import { prematureEnd } from './premature-end.ts'
import { repetition } from './repetition.ts'
import { stall } from './stall.ts'
import { toolStorm } from './tool-storm.ts'

/** The detectors that every inspector starts with. */
export const DETECTORS: readonly Detector[] = [
  repetition,
  monologue,
  toolStorm,
  errorsInARow,
  stall,
  budgetBurn,
  prematureEnd,
  disallowedTool,
  chunkLoop,
  nearRepetition,
]
