import type { Tasks } from './peer-runner.mjs'

export const tasks: Tasks
