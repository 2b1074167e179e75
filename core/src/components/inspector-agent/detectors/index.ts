import type { Detector } from '../detector.ts'
import { announcedAction } from './announced-action.ts'
import { budgetBurn } from './budget-burn.ts'
import { chunkLoop } from './chunk-loop.ts'
import { disallowedTool } from './disallowed-tool.ts'
import { errorsInARow } from './errors-in-a-row.ts'
import { ignoredInput, withheldInput } from './handoff.ts'
import { lostHistory } from './lost-history.ts'
import { monologue } from './monologue.ts'
import { nearRepetition } from './near-repetition.ts'
import { noClarification } from './no-clarification.ts'
import { noVerification } from './no-verification.ts'
import { repetition } from './repetition.ts'
import { restart } from './restart.ts'
import { silence } from './silence.ts'
import { stall } from './stall.ts'
import { prematureEnd, unawareOfEnd } from './termination.ts'
import { tokenOutlier } from './token-outlier.ts'
import { toolStorm } from './tool-storm.ts'
import { wrongVerification } from './wrong-verification.ts'

/** The detectors that every inspector starts with. */
export const DETECTORS: readonly Detector[] = [
  repetition,
  monologue,
  toolStorm,
  errorsInARow,
  stall,
  silence,
  budgetBurn,
  tokenOutlier,
  unawareOfEnd,
  prematureEnd,
  noVerification,
  withheldInput,
  ignoredInput,
  disallowedTool,
  chunkLoop,
  nearRepetition,
  restart,
  lostHistory,
  noClarification,
  announcedAction,
  wrongVerification,
]
