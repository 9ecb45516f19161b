import { parentPort, workerData } from 'node:worker_threads'
import { readHtml } from './read-html.ts'
import type { ReadRequest } from './reading.ts'

/** The thread that reads one page and ends; an error ends it too, and is told to whoever started it. */
parentPort?.postMessage(readHtml(workerData as ReadRequest))
