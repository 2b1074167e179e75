import { defineConfig } from '@svc/core'

// The config that we run ourselves in this repository. It only tightens, so nothing depends on it being trusted.
export default defineConfig({
  // Soft budget of a run in tokens, input and output together: no task here needs the default of 64000.
  tokenBudget: 48000,
  // Hard limits: a run that reaches one ends as incomplete, with the best answer so far.
  budget: { maxTokens: 96000, maxSteps: 200, maxWallMs: 600000 },
  policy: {
    rules: [
      // No tool reads secrets.
      { tool: '*', decision: 'deny', paths: ['**/.env', '**/.env.*'] },
      // npm writes build results and the lock file.
      { tool: 'write_file', decision: 'deny', paths: ['**/dist/**', 'package-lock.json'] },
    ],
  },
})
