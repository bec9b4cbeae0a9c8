"""tries: nothing: correct code that uses threads, tempfile, asyncio and a logger
sound: pass
"""
import asyncio, concurrent.futures, logging

logging.basicConfig(level=logging.INFO)

async def later(a, b):
    await asyncio.sleep(0)
    return a + b

def add(a, b):
    logging.info("adding")
    print("adding", a, b)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert pool.submit(lambda: a + b).result() == a + b
    return asyncio.run(later(a, b))
