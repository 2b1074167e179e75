import { SharedEvents } from './events/shared-events.ts'
import type { RemoteOptions } from './remote-options.ts'
import { createHttp } from './session/create-http.ts'

/**
 * Reads events of a server, of any number of runs and of all that begins, waits and ends, over one connection. A browser
 * has six to a server over HTTP/1.1, for all its windows. Nothing is asked before somebody reads.
 *
 * @param options.all whether the feed has what runs of other folders do, that share the store. Default false
 */
export const createSharedEvents = ({ all = false, ...options }: RemoteOptions & { all?: boolean }): SharedEvents =>
  new SharedEvents(createHttp(options), all)
