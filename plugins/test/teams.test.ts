/** A team's answer has every part of its task, and what the log refutes of a step's output is marked on the way. */
import {
  type ExecutionResult,
  type ModelRequest,
  ReflectionEngine,
  type RunEvent,
  type RunOptions,
  TOPOLOGIES,
  type Tool,
  toText,
} from '@svc/core'
import { callsTool, type ScriptedAnswer } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { allocate } from '../src/defaults/allocate.ts'
