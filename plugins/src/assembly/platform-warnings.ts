import type { Warning } from '@svc/core'

/** What svc cannot do on this system, in one sentence that is said at the start. */
export const platformWarnings = (platform: NodeJS.Platform = process.platform): Warning[] =>
  platform === 'win32'
    ? [
        {
          code: 'platform_limited',
          message:
            'svc was not tried on Windows: programs run only with policy.sandbox "none", and its files are readable for whom Windows lets read your folder. In WSL 2 it is as on Linux',
        },
      ]
    : []
