import type { LoadedConfig, Runtime } from '@svc/core'
import type { CreateRuntimeOptions } from '@svc/plugins'

/** How a command wants its runtime. */
export interface StartOptions extends Pick<CreateRuntimeOptions, 'claims' | 'cassette' | 'drainMs'> {
  /** False: nothing of its runs is kept. Default true. */
  persist?: boolean
  /** The command is of no use where runs last no longer than the process. Default false. */
  needsStore?: boolean
  /** The command is of no use where the default model's provider cannot be used: it fails at once. Default false. */
  needsModel?: boolean
}

/** A runtime that a command works with. */
export interface Started {
  runtime: Runtime
  /** Undefined of a server, which has read a config of its own. */
  loaded: LoadedConfig | undefined
  /** This project, as runs name it; undefined of a server, whose runs are all here. */
  space: string | undefined
  /** Whether its runs outlive this process. */
  isDurable: boolean
}

/** A runtime of this process. */
export interface OwnStarted extends Started {
  loaded: LoadedConfig
  space: string
  /**
   * Reads the config again and goes on under it. Nobody is asked anything.
   *
   * @returns the new config
   * @throws SvcError for a config that cannot be used, or of which less can be used than before; then nothing has changed
   */
  reload(): Promise<LoadedConfig>
}
