# evalplus-lite in a container, as a user who is not root:
#
#     docker build -t evalplus-lite .
#     docker run --rm --network none -v "$PWD:/work" evalplus-lite evaluate -d tasks.jsonl -s samples.jsonl
#
# The sandbox around each program, strongest first (`docker run --rm evalplus-lite doctor` says which
# holds; docs/guide/sandbox.md says what each cannot hold):
#
#   landlock    no flag needed: the default profiles of Docker 20.10.10 and later, Podman and containerd
#               let it through, on kernels from 5.13 on. It holds as well with all of
#               --cap-drop ALL --security-opt no-new-privileges --read-only --tmpfs /tmp.
#   namespaces  needs the container's own walls opened for what is inside it. Docker:
#               --security-opt seccomp=unconfined --security-opt apparmor=unconfined
#               --security-opt systempaths=unconfined      Podman: --security-opt unmask=ALL
#   none        where neither holds (an older kernel, gVisor) nothing is run unless you add
#               `--sandbox none`. Then the container is the only wall, and time, memory and process
#               limits are all that holds inside it: no keys, no answers, --network none.
#
# Never needed: --privileged, --cap-add, --user 0, the Docker socket.
ARG BASE=python:3.13-slim
FROM ${BASE} AS build
COPY . /src
# Extras, such as "serve,plots": docker build --build-arg EXTRAS=serve,plots .
ARG EXTRAS=serve
RUN python3 -m venv /opt/evalplus-lite \
    && /opt/evalplus-lite/bin/pip install --no-cache-dir "/src[${EXTRAS}]"

FROM ${BASE}
COPY --from=build /opt/evalplus-lite /opt/evalplus-lite
# Files that are written to /work belong to this user: give your own with --user "$(id -u):$(id -g)".
RUN useradd --uid 1000 --create-home evalplus \
    && install -d -o evalplus -g evalplus /work
ENV PATH=/opt/evalplus-lite/bin:$PATH \
    EVALPLUS_LITE_CACHE=/tmp/evalplus-lite
USER evalplus
WORKDIR /work
ENTRYPOINT ["evalplus-lite"]
CMD ["--help"]
