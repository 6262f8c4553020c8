# The sandbox with Postgres in it, for the services of a CI. `make sandbox` compiles the program and makes the
# base; BASE is any Debian 12.
ARG BASE=localhost/frontdesk-debian
FROM ${BASE}
# Debian's scripts that make a cluster at installation are told not to.
RUN mkdir -p /etc/postgresql-common/createcluster.d \
 && echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.d/frontdesk.conf \
 && apt-get update -q \
 && apt-get install -q -y --no-install-recommends postgresql-15 \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/* \
 && install -d -o postgres -g postgres -m 700 /sandbox
COPY .frontdesk/images/frontdesk /usr/local/bin/
USER postgres
WORKDIR /sandbox
ENV FRONTDESK_DIR=/sandbox FRONTDESK_SEED=quiet
EXPOSE 8080
HEALTHCHECK --interval=2s --timeout=5s --start-period=60s CMD ["frontdesk", "ready"]
CMD ["frontdesk", "sandbox", "--container", "--listen=:8080"]
