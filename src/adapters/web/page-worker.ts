/* Runs in a thread of its own: a page can be made so that reading it takes very long. */
import { parentPort, workerData } from 'node:worker_threads'
import { renderPage, type PageJob } from './page.ts'

parentPort?.postMessage(renderPage(workerData as PageJob), [])
